"""Training of the music detector: draw a mixture and its labels, compare."""

import math

import torch
from torch.nn import functional

from training.evaluate_detection import load_set, load_talks, score
from training.mix.music_presence import MusicPresence
from training.mix.voice_pool import VoicePools
from training.networks.stft import BINS, HOP, power_spectrum

CLASS_WEIGHTS = (1.0, 0.3, 0.3)
"""Only music is needed; learning dialogue and effects too helps the network to distinguish them."""


MASKS, WIDEST_MASK = 2, 0.12
"""Frequency ranges masked in a mixture, and the largest share of the scale that one covers."""


def mask_ranges(power):
    """Masks ranges of frequency, spaced on a mel-like scale, in each of [n, frames, bins]."""
    count, device = len(power), power.device
    place = torch.log1p(torch.linspace(0, 31.5, BINS, device=device)) / math.log(32.5)
    for _ in range(MASKS):
        start, width = torch.rand(count, 1, 1, device=device), WIDEST_MASK * torch.rand(count, 1, 1, device=device)
        power = power * ~((place > start) & (place < start + width))
    return power


class Detection:
    def __init__(self, recipe, pools):
        options = recipe.get("mixer_options", {})
        voices = VoicePools(pools.folder / "voices", pools.device, pools.sources)
        list(voices.load_new())
        self.mixer = MusicPresence(pools, recipe["segment_hops"] * HOP, voices=voices, **options)

    def draw(self, batch):
        mixture, is_heard, is_certain = self.mixer.draw(batch)
        return mask_ranges(power_spectrum(mixture)), (is_heard, is_certain)

    def loss(self, logits, truth):
        is_heard, is_certain = (part.transpose(1, 2)[:, : logits.shape[1]] for part in truth)
        weight = is_certain * torch.tensor(CLASS_WEIGHTS, device=logits.device)
        loss = functional.binary_cross_entropy_with_logits(logits, is_heard, weight, reduction="sum")
        return loss / weight.sum()

    def load_held_out(self, path, device):
        return load_set(path, device), load_talks(path)

    def score(self, network, held_out):
        return score(network, *held_out)
