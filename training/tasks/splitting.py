"""Training the splitter of `other`: separation in which most stems are often silent."""

import numpy
import torch

from training.evaluate_splitter import score
from training.losses.silence import silence_level
from training.mix.other_splitter import OtherSplitter
from training.networks.stft import HOP, istft, stft
from training.tasks.separation import Separation


class Splitting(Separation):
    def __init__(self, recipe, pools):
        self.mixer = OtherSplitter(pools, recipe["segment_hops"] * HOP, **recipe.get("mixer_options", {}))
        self.weights = recipe["losses"]

    def draw(self, batch):
        sounds = self.mixer.draw(batch)
        stems, song = sounds[:, :-1], sounds[:, -1]
        level = stems.sum(1).square().mean((1, 2)).sqrt().clamp(min=1e-4)[:, None, None]
        stems, song = stems / level[:, None], song / level
        parts = stft(stems)
        return torch.cat([parts.sum(1), stft(song)], 1), (stems, parts)

    def loss(self, estimate_parts, truth):
        stems, _ = truth
        estimate = istft(estimate_parts, stems.shape[-1])
        return super().loss(estimate_parts, truth) + self.weights["silence"] * silence_level(estimate, stems)

    def load_held_out(self, path, device):
        """The songs as they were played, and as htdemucs leaves them."""
        stems = torch.from_numpy(numpy.load(path).astype(numpy.float32)).to(device)
        return stems, self.mixer.hear_held_out(stems) if self.mixer.heard else None

    def score(self, network, held_out):
        stems, heard = held_out
        scores = score(network, stems)
        return scores if heard is None else {**scores, "heard": score(network, heard[:, :-1], heard[:, -1])}
