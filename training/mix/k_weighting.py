"""ITU-R BS.1770's weighting by its magnitudes: a 38 Hz high-pass and a 4 dB shelf above 1.5 kHz."""

import numpy


def k_curve(frequency):
    """Amplitude factors for frequencies in Hz."""
    high_pass = frequency**2 / (frequency**2 + 38.0**2)
    shelf = 1 + (10 ** (4 / 20) - 1) / (1 + (1500 / numpy.maximum(frequency, 1)) ** 2)
    return high_pass * shelf
