"""Training of the separator of two voices."""

import numpy
import torch

from training.losses.voices import improvement, voices_loss
from training.mix.two_voices import TwoVoices as Mixer
from training.mix.voice_pool import VoicePools
from training.networks.voice_stft import HOP, istft, stft


def separate(network, mixture):
    """[n, samples] → [n, 3, samples]; samples is a multiple of the hop."""
    return istft(network(stft(mixture)).float(), mixture.shape[-1])


class TwoVoices:
    POOLS = VoicePools

    def __init__(self, recipe, pools):
        self.mixer = Mixer(pools, recipe["segment_hops"] * HOP, pools.folder / "rooms.npy", **recipe.get("mixer_options", {}))
        self.weights = recipe["losses"]

    def draw(self, batch):
        stems = self.mixer.draw(batch)
        level = stems.sum(1).square().mean(-1).sqrt().clamp(min=1e-4)
        stems = stems / level[:, None, None]
        parts = stft(stems)
        return parts.sum(1), (stems, parts)

    def loss(self, estimate_parts, truth):
        stems, parts = truth
        estimate_parts = estimate_parts.float()
        return voices_loss(istft(estimate_parts, stems.shape[-1]), estimate_parts, stems, parts, self.weights)

    def load_held_out(self, path, device):
        return {name: torch.from_numpy(values).to(device) for name, values in numpy.load(path).items()}

    @torch.no_grad()
    def score(self, network, held_out, batch=20):
        """Mean improvement, the share of mixtures that gain less than 3 dB, and for a single voice the level of the second output."""
        result = {}
        for name, voices in held_out.items():
            outputs = torch.cat([separate(network, some.sum(1))[:, :2] for some in voices.split(batch)])
            if name == "alone":
                levels = outputs.square().mean(-1).clamp(min=1e-12)
                result[name] = round(float((10 * torch.log10(levels.amin(1) / levels.amax(1))).mean()), 2)
                continue
            gains = improvement(outputs, voices)
            result[name] = round(float(gains.mean()), 2)
            result[f"{name}_below_3_db"] = round(float((gains < 3).float().mean()), 3)
        return result
