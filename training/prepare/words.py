"""Words recorded one at a time: a clip of a second is half word, half the room around it."""

import numpy

from training.prepare.screen import block_levels

BELOW_LOUDEST_DB = 32.0
ABOVE_ROOM_DB = 6.0
LEAST_ABOVE_ROOM_DB = 15.0
MARGIN_S = 0.05
FADE_S = 0.01


def cut_word(samples, rate_hz):
    """The word with 50 ms of background on either side, faded; nothing where no sound stands out of the room."""
    block, power = block_levels(samples, rate_hz)
    if not len(power) or not power.max():
        return samples[:0]
    room, loud = numpy.percentile(power, [10, 90])
    if loud < room * 10 ** (LEAST_ABOVE_ROOM_DB / 10):
        return samples[:0]
    threshold = max(power.max() * 10 ** (-BELOW_LOUDEST_DB / 10), room * 10 ** (ABOVE_ROOM_DB / 10))
    loud = numpy.flatnonzero(power > threshold)
    margin = int(MARGIN_S * rate_hz)
    word = samples[max(0, loud[0] * block - margin) : (loud[-1] + 1) * block + margin].copy()
    fade = numpy.linspace(0, 1, int(FADE_S * rate_hz), dtype=numpy.float32)[:, None]
    word[: len(fade)] *= fade
    word[-len(fade) :] *= fade[::-1]
    return word
