"""What a separation network's training lowers: the recipe weighs the parts."""

from training.losses.correlation import negative_si_sdr
from training.losses.ratio import log_ratio


def separation_loss(estimate, estimate_parts, stems, stems_parts, weights):
    mixture, mixture_parts = stems.sum(1, keepdim=True), stems_parts.sum(1, keepdim=True)
    loss = weights["waveform"] * log_ratio(estimate, stems, mixture, 0.1)
    loss = loss + weights["spectrum"] * log_ratio(estimate_parts, stems_parts, mixture_parts, 0.6)
    return loss + weights["si_sdr"] * negative_si_sdr(estimate, stems)
