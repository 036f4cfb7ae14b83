"""Loss of the speech cleaner: the error of dry speech and of speech in its room."""

import torch

from training.losses.correlation import negative_si_sdr
from training.losses.ratio import log_ratio

COMPRESSION = 0.3
"""Perceived loudness grows about with this power of the amplitude."""


def speech_of(stems):
    """[n, 3, …] (dry, room, noise) → [n, 2, …] (dry speech, speech in its room)."""
    return torch.stack([stems[:, 0], stems[:, 0] + stems[:, 1]], 1)


def loudness(parts):
    """Compressed magnitudes [..., frames, bins] of [..., 2, frames, bins]."""
    return (parts.square().sum(-3) + 1e-4) ** (COMPRESSION / 2)


def cleaning_loss(estimate, estimate_parts, stems, parts, weights):
    mixture, mixture_parts = stems.sum(1, keepdim=True), parts.sum(1, keepdim=True)
    estimate, truth = speech_of(estimate), speech_of(stems)
    estimate_parts, truth_parts = speech_of(estimate_parts), speech_of(parts)
    loss = weights["waveform"] * log_ratio(estimate, truth, mixture, 0.1)
    loss = loss + weights["spectrum"] * log_ratio(estimate_parts, truth_parts, mixture_parts, 0.6)
    difference = (loudness(estimate_parts) - loudness(truth_parts)).abs().mean((1, 2, 3))
    loss = loss + weights["loudness"] * (difference / loudness(mixture_parts).mean((1, 2, 3))).mean()
    return loss + weights["si_sdr"] * negative_si_sdr(estimate[:, :, None], truth[:, :, None])
