"""Screens clips by loudness and silence."""

import numpy

BLOCK_S = 0.02
SILENCE_BELOW_PEAK_DB = 50.0
QUIETEST_PEAK = 10 ** (-45 / 20)
SHORTEST_S = 0.12
LONGEST_PAUSE_S = 0.5
TARGET_RMS = 10 ** (-21 / 20)
CEILING = 0.89


def block_levels(samples, rate_hz):
    block = max(1, int(BLOCK_S * rate_hz))
    count = len(samples) // block
    power = (samples[: count * block].reshape(count, block, samples.shape[1]) ** 2).mean(axis=(1, 2))
    return block, power


def cut_silence(samples, rate_hz):
    """Trims both ends and shortens inner pauses to LONGEST_PAUSE_S, so that packs hold no silence."""
    block, power = block_levels(samples, rate_hz)
    if not len(power):
        return samples[:0]
    loud = power > max(power.max() * 10 ** (-SILENCE_BELOW_PEAK_DB / 10), 1e-9)
    if not loud.any():
        return samples[:0]
    pause_blocks = int(LONGEST_PAUSE_S / BLOCK_S)
    keep = numpy.convolve(loud, numpy.ones(pause_blocks), mode="full")[pause_blocks // 2 :][: len(loud)] > 0
    edges = numpy.flatnonzero(loud)
    keep[: max(0, edges[0] - 1)] = False
    keep[edges[-1] + 2 :] = False
    return samples[: len(keep) * block][numpy.repeat(keep, block)]


def level(samples, rate_hz):
    """RMS of the active blocks: those within 15 dB of the mean power."""
    _, power = block_levels(samples, rate_hz)
    active = power[power > power.mean() * 10**-1.5]
    return float(numpy.sqrt(active.mean())) if len(active) else 0.0


def screen(samples, rate_hz, keep_pauses):
    """The clip at a common level, or None if it is too short, too quiet or broken."""
    if not numpy.isfinite(samples).all() or len(samples) < SHORTEST_S * rate_hz:
        return None
    samples = samples - samples.mean(axis=0)
    if not keep_pauses:
        samples = cut_silence(samples, rate_hz)
    if len(samples) < SHORTEST_S * rate_hz or numpy.abs(samples).max() < QUIETEST_PEAK:
        return None
    gain = TARGET_RMS / max(level(samples, rate_hz), 1e-6)
    gain = min(gain, CEILING / numpy.abs(samples).max())
    return (samples * gain).astype(numpy.float32)
