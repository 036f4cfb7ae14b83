"""Intelligibility of cleaned speech (STOI, Taal et al. 2011) and its spectral distance from the truth, in NumPy: for reports, not for training."""

import numpy

RATE_HZ = 10000
FRAME, HOP, FFT = 256, 128, 512
BANDS, LOWEST_HZ = 15, 150
SEGMENT = 30
QUIET_DB = 40
CLIP = 1 + 10 ** (15 / 20)


def resample(sound, rate_hz):
    """Resamples to 10 kHz in the frequency domain."""
    frames = len(sound) * RATE_HZ // rate_hz
    return numpy.fft.irfft(numpy.fft.rfft(sound)[: frames // 2 + 1], frames) * (frames / len(sound))


def cut(sound):
    starts = numpy.arange(0, len(sound) - FRAME + 1, HOP)
    return sound[starts[:, None] + numpy.arange(FRAME)] * numpy.hanning(FRAME + 2)[1:-1]


def third_octaves():
    frequency = numpy.linspace(0, RATE_HZ / 2, FFT // 2 + 1)
    centre = LOWEST_HZ * 2 ** (numpy.arange(BANDS) / 3)[:, None]
    return ((frequency >= centre * 2 ** (-1 / 6)) & (frequency < centre * 2 ** (1 / 6))).astype(float)


def envelopes(frames):
    """[frames, FRAME] → [bands, frames]."""
    return numpy.sqrt(third_octaves() @ (numpy.abs(numpy.fft.rfft(frames, FFT)) ** 2).T)


def stoi(estimate, truth, rate_hz):
    """0 to 1 for two signals of equal length; frames 40 dB below the loudest of the truth do not count."""
    given, wanted = cut(resample(estimate, rate_hz)), cut(resample(truth, rate_hz))
    level_db = 20 * numpy.log10(numpy.linalg.norm(wanted, axis=1) + 1e-12)
    loud = level_db > level_db.max() - QUIET_DB
    given, wanted = envelopes(given[loud]), envelopes(wanted[loud])
    scores = []
    for end in range(SEGMENT, wanted.shape[1] + 1):
        x, y = wanted[:, end - SEGMENT : end], given[:, end - SEGMENT : end]
        y = y * numpy.linalg.norm(x, axis=1, keepdims=True) / (numpy.linalg.norm(y, axis=1, keepdims=True) + 1e-12)
        y = numpy.minimum(y, CLIP * x)
        x, y = x - x.mean(1, keepdims=True), y - y.mean(1, keepdims=True)
        norms = numpy.linalg.norm(x, axis=1) * numpy.linalg.norm(y, axis=1) + 1e-12
        scores.append(((x * y).sum(1) / norms).mean())
    return float(numpy.mean(scores)) if scores else float("nan")


def log_spectral_distance(estimate, truth, floor_db=-60):
    """RMS difference in dB over frequencies, averaged over frames of 2048; values are clamped to 60 dB below the loudest bin."""
    power = [numpy.abs(numpy.fft.rfft(sound[: len(sound) // 2048 * 2048].reshape(-1, 2048) * numpy.hanning(2048))) ** 2 for sound in (estimate, truth)]
    floor = power[1].max() * 10 ** (floor_db / 10) + 1e-20
    given_db, wanted_db = (10 * numpy.log10(numpy.maximum(values, floor)) for values in power)
    return float(numpy.sqrt(((given_db - wanted_db) ** 2).mean(1)).mean())
