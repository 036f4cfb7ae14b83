"""Minus SI-SDR in dB, with floors: how far an estimate points away from its stem, whatever its level; and minus SDR, which asks for the level too.

The L1 ratios are lowest at the median of what a stem may be: unsure whether a sound is music or an effect, they assign it wholly to one of the two, and
if that is wrong the other stem has nothing that resembles it. SI-SDR is best if doubtful sound is shared, but a twelfth of it will do: a stem that is
seldom there stays that quiet unless SDR is part of the loss.
"""

import torch

FLOOR = 1e-3  # beyond ±30 dB nothing is gained or lost
AUDIBLE_SHARE = 1e-5  # a stem 50 dB below the mixture has no direction worth learning


def negative_si_sdr(estimate, stems, audible_share=AUDIBLE_SHARE, stem_weights=1.0):
    """[n, stems, channels, frames] each → mean over the stems that are there, in dB."""
    size = stems.square().sum((-1, -2))
    product = (estimate * stems).sum((-1, -2))
    share = product.square() / (estimate.square().sum((-1, -2)) * size + 1e-9)
    loss_db = -10 * torch.log10((share + FLOOR) / (1 - share + FLOOR))
    return mean_where_audible(loss_db, stems, audible_share, stem_weights)


def negative_sdr(estimate, stems, audible_share=AUDIBLE_SHARE, stem_weights=1.0):
    """As `negative_si_sdr`: 0 dB for silence, −30 at best."""
    error = (estimate - stems).square().sum((-1, -2)) / (stems.square().sum((-1, -2)) + 1e-9)
    return mean_where_audible(10 * torch.log10(error + FLOOR), stems, audible_share, stem_weights)


def mean_where_audible(loss_db, stems, audible_share, stem_weights):
    energy = stems.square().sum((-1, -2))
    is_there = energy > audible_share * stems.sum(1).square().sum((-1, -2))[:, None]
    return (stem_weights * loss_db * is_there).sum() / is_there.sum().clamp(min=1)
