"""Training of the speech cleaner."""

import numpy
import torch

from training.losses.cleaning import cleaning_loss, speech_of
from training.losses.voices import si_sdr
from training.mix.noisy_speech import NoisySpeech
from training.mix.speech_pool import SpeechPools
from training.networks.voice_stft import FULL_BAND, istft, stft

HOP = FULL_BAND[1]


def clean(network, mixture):
    """[n, samples] → [n, 3, samples] (dry speech, room, noise); samples is a multiple of the hop."""
    return istft(network(stft(mixture, *FULL_BAND)).float(), mixture.shape[-1], *FULL_BAND)


def improvements(network, stems, batch=12):
    """SI-SDR improvement over the mixture [n, 2], of dry speech and of speech in its room."""
    gains = []
    for some in stems.split(batch):
        mixture, truth = some.sum(1), speech_of(some)
        gains.append(si_sdr(speech_of(clean(network, mixture)), truth) - si_sdr(mixture[:, None].expand_as(truth), truth))
    return torch.cat(gains)


class Cleaning:
    POOLS = SpeechPools

    def __init__(self, recipe, pools):
        self.mixer = NoisySpeech(pools, recipe["segment_hops"] * HOP, **recipe.get("mixer_options", {}))
        self.weights = recipe["losses"]

    def draw(self, batch):
        stems = self.mixer.draw(batch)
        stems = stems / stems.sum(1).square().mean(-1).sqrt().clamp(min=1e-4)[:, None, None]
        parts = stft(stems, *FULL_BAND)
        return parts.sum(1), (stems, parts)

    def loss(self, estimate_parts, truth):
        stems, parts = truth
        estimate_parts = estimate_parts.float()
        return cleaning_loss(istft(estimate_parts, stems.shape[-1], *FULL_BAND), estimate_parts, stems, parts, self.weights)

    def load_held_out(self, path, device):
        return {name: torch.from_numpy(values).float().to(device) for name, values in numpy.load(path).items()}

    @torch.no_grad()
    def score(self, network, held_out):
        """Mean improvement for each kind of mixture: `noise` for speech, `rooms` and `both` for dry speech too."""
        result = {}
        for name, stems in held_out.items():
            dry, speech = improvements(network, stems).mean(0).tolist()
            if name != "rooms":
                result[name] = round(speech, 2)
            if name != "noise":
                result[f"{name}_dry"] = round(dry, 2)
        return result
