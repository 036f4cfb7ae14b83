"""Log of the error's L1 share of the stem: each stem counts the same, however quiet, and a perfect one has no larger gradient than a good one."""

import torch

SILENCE_SHARE = 0.05
"""A silent stem is compared with 5 % of the mixture. If most stems are silent it must be more, or all but one stem stay silent."""


def log_ratio(estimate, stem, mixture, floor, silence_share=SILENCE_SHARE, stem_weights=1.0):
    """[n, stems, ...] each; `floor` softens the log. 0.1 for waveforms and 0.6 for spectra; 0.01 was clearly worse."""
    axes = tuple(range(2, stem.dim()))
    error = (estimate - stem).abs().mean(axes)
    size = stem.abs().mean(axes) + silence_share * mixture.abs().mean(axes) + 1e-7
    return (stem_weights * torch.log(error / size + floor)).mean()
