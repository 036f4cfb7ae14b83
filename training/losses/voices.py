"""Permutation-invariant loss for two voices."""

import math

import torch

DECIBELS = 10 / math.log(10)
CLEAREST = 1e-3
"""30 dB: a voice closer than that to the truth gains nothing."""
INAUDIBLE = 3e-4
"""−35 dB of the mixture: allowed in an output whose voice is silent."""


def error_db(estimate, truth, mixture_power):
    """Power of the error relative to the truth's, in dB: [..., samples] → [...]."""
    error = (estimate - truth).square().mean(-1)
    power = truth.square().mean(-1)
    floor = INAUDIBLE * mixture_power
    return DECIBELS * torch.log((error + CLEAREST * power + floor) / (power + floor))


def magnitude_error(estimate_parts, truth_parts, mixture_size):
    """Log of the mean difference of magnitudes relative to the mixture's, from [..., 2, frames, bins]."""
    size = lambda parts: (parts.square().sum(-3) + 1e-8).sqrt()
    difference = (size(estimate_parts) - size(truth_parts)).abs().mean((-1, -2))
    return torch.log(difference / mixture_size + 0.02)


def voices_loss(estimate, estimate_parts, truth, truth_parts, weights):
    """estimate, truth [n, 3, samples]: two voices in any order, and the residual.

    A single voice counts less (`alone`): its errors in dB are steep near silence, and at full weight they taught a network to keep the second output
    silent whoever speaks, from which it did not recover. So did the magnitude term at four times the weight of the waveform's.
    """
    mixture = truth.sum(1)
    power = mixture.square().mean(-1).clamp(min=1e-8)
    size = (truth_parts.sum(1).square().sum(1) + 1e-8).sqrt().mean((-1, -2))
    pairs = {}
    for given in (0, 1):
        for wanted in (0, 1):
            wave = error_db(estimate[:, given], truth[:, wanted], power)
            spectrum = magnitude_error(estimate_parts[:, given], truth_parts[:, wanted], size)
            pairs[given, wanted] = weights["waveform"] * wave + weights["magnitude"] * spectrum
    as_given = pairs[0, 0] + pairs[1, 1]
    swapped = pairs[0, 1] + pairs[1, 0]
    is_alone = truth[:, :2].square().mean(-1).amin(1) < INAUDIBLE * power
    weight = torch.where(is_alone, weights["alone"], 1.0)
    residual = error_db(estimate[:, 2], truth[:, 2], power)
    return (weight * (torch.minimum(as_given, swapped) / 2 + weights["residual"] * residual)).mean()


def si_sdr(estimate, truth):
    """Scale-invariant SDR in dB [...] from [..., samples]."""
    estimate = estimate - estimate.mean(-1, keepdim=True)
    truth = truth - truth.mean(-1, keepdim=True)
    scale = (estimate * truth).sum(-1, keepdim=True) / truth.square().sum(-1, keepdim=True).clamp(min=1e-8)
    target = scale * truth
    return 10 * torch.log10(target.square().sum(-1).clamp(min=1e-10) / (estimate - target).square().sum(-1).clamp(min=1e-10))


def improvement(estimate, truth):
    """Mean SI-SDR improvement of two voices over the mixture [n], in the better order; estimate, truth [n, 2, samples]."""
    mixture = truth.sum(1, keepdim=True)
    as_given = si_sdr(estimate, truth).mean(1)
    swapped = si_sdr(estimate.flip(1), truth).mean(1)
    return torch.maximum(as_given, swapped) - si_sdr(mixture, truth).mean(1)
