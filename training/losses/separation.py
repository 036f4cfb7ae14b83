"""Loss of separation networks. The recipe weighs the parts, and may set each stem's weight, the reference for silent stems
and the threshold of audibility."""

import functools

import torch

from training.losses.correlation import AUDIBLE_SHARE, negative_sdr, negative_si_sdr
from training.losses.ratio import SILENCE_SHARE, log_ratio


@functools.lru_cache
def weight_tensor(values, device):
    """Sent to the device once: every transfer waits for it."""
    return torch.tensor(values, device=device)


def separation_loss(estimate, estimate_parts, stems, stems_parts, weights, pointing_to=None):
    """`pointing_to` is what the estimates should resemble at any level, if not the stems themselves."""
    pointing_to = stems if pointing_to is None else pointing_to
    mixture, mixture_parts = stems.sum(1, keepdim=True), stems_parts.sum(1, keepdim=True)
    silence_share = weights.get("silence_share", SILENCE_SHARE)
    stem_weights = weight_tensor(tuple(weights["stems"]), stems.device) if "stems" in weights else 1.0
    loss = weights["waveform"] * log_ratio(estimate, stems, mixture, 0.1, silence_share, stem_weights)
    loss = loss + weights["spectrum"] * log_ratio(estimate_parts, stems_parts, mixture_parts, 0.6, silence_share, stem_weights)
    audible_share = weights.get("audible_share", AUDIBLE_SHARE)
    if "sdr" in weights:
        loss = loss + weights["sdr"] * negative_sdr(estimate, stems, audible_share, stem_weights)
    return loss + weights["si_sdr"] * negative_si_sdr(estimate, pointing_to, audible_share, stem_weights)
