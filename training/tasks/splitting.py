"""Training the splitter of `other`: separation in which most stems are often silent."""

import numpy
import torch

from training.evaluate_splitter import score
from training.losses.silence import silence_level
from training.mix.other_splitter import OtherSplitter
from training.networks.stft import HOP, istft
from training.tasks.separation import Separation


class Splitting(Separation):
    def __init__(self, recipe, pools):
        self.mixer = OtherSplitter(pools, recipe["segment_hops"] * HOP, **recipe.get("mixer_options", {}))
        self.weights = recipe["losses"]

    def loss(self, estimate_parts, truth):
        stems, _ = truth
        estimate = istft(estimate_parts, stems.shape[-1])
        return super().loss(estimate_parts, truth) + self.weights["silence"] * silence_level(estimate, stems)

    def load_held_out(self, path, device):
        return torch.from_numpy(numpy.load(path).astype(numpy.float32)).to(device)

    def score(self, network, held_out):
        return score(network, held_out)
