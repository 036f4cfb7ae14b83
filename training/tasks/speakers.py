"""Training of the speaker embedding."""

import random

import torch

from training.losses.speakers import equal_error, margin_loss
from training.mix.single_voice import SPEEDS, SingleVoice
from training.mix.voice_pool import VoicePools
from training.networks.voice_stft import HOP, stft
from training.prepare.splits import find_part


def power_of(sound):
    return stft(sound).square().sum(-3)


class Speakers:
    POOLS = VoicePools

    def __init__(self, recipe, pools):
        self.pools, self.recipe = pools, recipe
        self.mixer = SingleVoice(pools, 0, pools.folder / "rooms.npy", **recipe.get("mixer_options", {}))
        self.network = None  # set by the trainer: the loss needs its classes
        self.allow()

    def allow(self):
        """Whom to draw: not those without a name, nor those of the part left out, which divides only speakers whom conversations are made of."""
        unknown, left_out = set(self.recipe.get("speakers_unknown", [])), self.recipe.get("left_out")
        voices = self.pools["voice"].speakers
        is_left_out = lambda family, name: family not in self.pools.train_only and find_part("train", f"{family}-{name}") == left_out
        is_allowed = [family not in unknown and not is_left_out(family, name) for family, name in voices]
        self.allowed = torch.tensor(is_allowed, device=self.pools.device).float()
        if len(voices) * len(SPEEDS) > self.recipe["network"]["classes"]:
            raise ValueError(f"{len(voices)} speakers need {len(voices) * len(SPEEDS)} classes")

    def draw(self, batch):
        if len(self.pools["voice"].speakers) > len(self.allowed):
            self.allow()  # a pack has come
        self.mixer.frames = random.randint(*self.recipe["segment_hops"]) * HOP
        sound, label = self.mixer.draw(batch, self.allowed)
        return power_of(sound), label

    def loss(self, embeddings, labels):
        return margin_loss(embeddings, self.network.classes, labels, self.recipe["margin"])

    def load_held_out(self, path, device):
        """Crops of 1.5 and 3 s of every held-out speaker, some with room and noise: {name: (power, label)}."""
        pools = self.pools.of_split("held-out")
        state = torch.random.get_rng_state()
        torch.manual_seed(7)
        result = {}
        voices = pools["voice"]
        who = torch.arange(len(voices.speakers), device=device).repeat(8)
        for seconds in (1.5, 3.0):
            sound = voices.draw(who, int(seconds * 16000), torch.ones(len(who), device=device))
            result[f"equal_error_{seconds}"] = (power_of(sound), who)
        mixer = SingleVoice(pools, 3 * 16000, self.pools.folder / "rooms.npy")
        sound, label = mixer.draw(400)
        result["equal_error_hard"] = (power_of(sound), label)
        torch.random.set_rng_state(state)
        return result

    @torch.no_grad()
    def score(self, network, held_out):
        return {name: round(equal_error(torch.cat([network(some) for some in power.split(100)]).float(), label), 4) for name, (power, label) in held_out.items()}
