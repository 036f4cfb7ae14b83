"""Training of separation networks: draw stems, estimate them from their sum, compare."""

import numpy
import torch

from training import evaluate, evaluate_lead
from training.losses.separation import separation_loss
from training.mix.dialogue_music_effects import DialogueMusicEffects
from training.mix.lead_vocals import LeadVocals
from training.networks.stft import HOP, istft, stft

MIXERS = {"dialogue-music-effects": DialogueMusicEffects, "lead-vocals": LeadVocals}


class Separation:
    def __init__(self, recipe, pools):
        self.mixer = MIXERS[recipe["mixer"]](pools, recipe["segment_hops"] * HOP)
        self.weights = recipe["losses"]

    def draw(self, batch):
        stems = self.mixer.draw(batch)
        level = stems.sum(1).square().mean((1, 2)).sqrt().clamp(min=1e-4)
        stems = stems / level[:, None, None, None]
        parts = stft(stems)
        return parts.sum(1), (stems, parts)

    def loss(self, estimate_parts, truth):
        stems, parts = truth
        estimate = istft(estimate_parts, stems.shape[-1])
        return separation_loss(estimate, estimate_parts, stems, parts, self.weights)

    def load_held_out(self, path, device):
        return torch.from_numpy(numpy.load(path)).to(device)

    def score(self, network, held_out):
        return evaluate.score(network, held_out)


class Lead(Separation):
    """Separation with the measures of lead vocals."""

    def score(self, network, held_out):
        return evaluate_lead.score(network, held_out)
