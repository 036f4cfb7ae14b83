"""Speech and noises at 48 kHz on the GPU, with the upper frequency of each."""

import torch

from training.mix.voice_pool import VoicePools

RATE_HZ = 48000
FULL_BAND_HZ = RATE_HZ / 2


class SpeechPools(VoicePools):
    """Roles `voice` and `noise`. A source with a `top_hz` has nothing above it: mixtures with it end there."""

    rate_hz = RATE_HZ

    def __init__(self, folder, device, sources=(), split="train"):
        super().__init__(folder, device, sources, split)
        self.tops = {self.families[source["id"]]: float(source["top_hz"]) for source in sources if "top_hz" in source}

    def of_split(self, split):
        other = super().of_split(split)
        other.tops = self.tops
        return other

    def draw(self, role, count, frames, rates):
        """float32 [count, frames] of as many makers, and the upper frequency [count] of each."""
        pool = self[role]
        who = torch.multinomial(pool.chances, count, replacement=True)
        top_hz = torch.tensor([self.tops.get(family, FULL_BAND_HZ) for family, _ in pool.speakers], device=self.device)[who]
        return pool.draw(who, frames, rates), top_hz * rates
