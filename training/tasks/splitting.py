"""Training of the splitter of `other`: separation in which most stems are often silent."""

import numpy
import torch

from training.evaluate_splitter import score
from training.losses.separation import separation_loss
from training.losses.silence import silence_level
from training.mix.separated import split_separated
from training.mix.other_splitter import OtherSplitter
from training.networks.stft import HOP, istft, stft
from training.tasks.separation import Separation


class Splitting(Separation):
    def __init__(self, recipe, pools):
        self.mixer = OtherSplitter(pools, recipe["segment_hops"] * HOP, **recipe.get("mixer_options", {}))
        self.weights = recipe["losses"]

    def draw(self, batch):
        drawn = self.mixer.draw(batch)
        level = split_separated(drawn)[0].sum(1).square().mean((1, 2)).sqrt().clamp(min=1e-4)
        stems, played = split_separated(drawn / level[:, None, None, None])
        parts = stft(stems)
        return parts.sum(1), (stems, parts, played)

    def loss(self, estimate_parts, truth):
        """Stems have the level and most of the artefacts of the mixture; their direction should be that of what was played."""
        stems, parts, played = truth
        estimate = istft(estimate_parts, stems.shape[-1])
        loss = separation_loss(estimate, estimate_parts, stems, parts, self.weights, pointing_to=played)
        return loss + self.weights["silence"] * silence_level(estimate, stems)

    def load_held_out(self, path, device):
        """The songs as played, and as htdemucs leaves them."""
        stems = torch.from_numpy(numpy.load(path).astype(numpy.float32)).to(device)
        return stems, self.mixer.separate_held_out(stems) if self.mixer.separated else None

    def score(self, network, held_out):
        stems, separated = held_out
        scores = score(network, stems)
        if separated is None:
            return scores
        left, played = split_separated(separated)
        return {**scores, "separated": score(network, played, left.sum(1))}
