"""SDR and SI-SDR in dB, over all channels of a stem together. Larger is better."""

import torch


def sdr(estimate, stem):
    """[..., channels, samples] → [...]"""
    error = (estimate - stem).square().sum((-1, -2))
    return 10 * torch.log10(stem.square().sum((-1, -2)) / error.clamp(min=1e-12) + 1e-12)


def si_sdr(estimate, stem):
    scale = (estimate * stem).sum((-1, -2), keepdim=True) / stem.square().sum((-1, -2), keepdim=True).clamp(min=1e-12)
    return sdr(estimate, scale * stem)
