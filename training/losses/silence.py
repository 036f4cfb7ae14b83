"""How loud the stems of absent instruments are, in dB below the mixture: the ratio losses have little gradient once such a stem is quiet."""

import torch

FLOOR = 1e-5  # −50 dB of the mixture is silent enough
SILENT_SHARE = 1e-7


def silence_level(estimate, stems):
    """[n, stems, channels, frames] each → mean level of the stems that should be silent, in dB relative to the mixture; 0 if there are none."""
    mixture = stems.sum(1).square().sum((-1, -2))[:, None] + 1e-9
    is_silent = stems.square().sum((-1, -2)) < SILENT_SHARE * mixture
    level_db = 10 * torch.log10(estimate.square().sum((-1, -2)) / mixture + FLOOR)
    return (level_db * is_silent).sum() / is_silent.sum().clamp(min=1)
