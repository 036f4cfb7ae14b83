"""Crops of one voice as altered by rooms, lines and other talkers, and whose it is."""

import torch

from training.mix.augment import chance, uniform
from training.mix.two_voices import TwoVoices, active_level, equalizers, telephone_curves
from training.mix.voice_pool import RATE_HZ

SPEEDS = (1.0, 0.9, 1.1)
"""A voice played faster or slower counts as another voice."""


class SingleVoice(TwoVoices):
    def draw(self, count, allowed=None):
        """(sound [count, frames], label [count]); `allowed` are the speakers to draw from."""
        pool, device = self.pools["voice"], self.pools.device
        chances = pool.chances if allowed is None else pool.chances * allowed
        who = torch.multinomial(chances, count, replacement=True)
        speed = torch.randint(len(SPEEDS), (count,), device=device)
        sound = pool.draw(who, self.frames, torch.tensor(SPEEDS, device=device)[speed])
        sound = sound / active_level(sound).clamp(min=1e-4)
        other = pool.draw(pool.draw_speakers(count, 1)[:, 0], self.frames, torch.ones(count, device=device))
        other = other / active_level(other).clamp(min=1e-4) * 10 ** (uniform(count, -25, -8, device)[:, None] / 20)
        sound = sound + other * chance(count, 0.2, device)[:, None]
        length = (self.frames + RATE_HZ // 2 + 3999) // 4000 * 4000
        spectrum = torch.fft.rfft(sound, length)
        bins = spectrum.shape[-1]
        spectrum = spectrum * equalizers(count, bins, device, 4)
        spectrum = self.in_rooms(spectrum[:, None], length, 0.5)[:, 0]
        sound = torch.fft.irfft(spectrum * telephone_curves(count, bins, device, self.telephone)[:, 0], length)[:, : self.frames]
        level = sound.square().mean(-1, keepdim=True).sqrt()
        noise = self.noise(count) * level * 10 ** (-uniform(count, 0, 35, device)[:, None] / 20) * chance(count, 0.6, device)[:, None]
        return sound + noise, who * len(SPEEDS) + speed
