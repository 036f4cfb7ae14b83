"""Mixtures of two voices and a little noise: [count, 3, frames] (voice, voice, residual), mono at 16 kHz."""

import math

import numpy
import torch

from training.mix.augment import chance, uniform
from training.mix.voice_pool import RATE_HZ

FULL, PARTIAL = 0.62, 0.28
"""Share of mixtures in which both speak throughout, and in which they overlap in part; the others have one voice."""
TELEPHONE = 0.2
ROOM = 0.6
NOISE = 0.5
MARGIN = RATE_HZ // 2
"""Drawn before the mixture begins, so that reverberation is already present."""


def equalizers(count, bins, device, spread_db, rate_hz=RATE_HZ):
    """Smooth random gain curves over a log frequency axis, as amplitude factors [count, bins]."""
    octave = torch.log2(torch.linspace(0, rate_hz / 2, bins, device=device).clamp(min=40) / 1000)
    gain_db = torch.randn(count, 1, device=device) * (spread_db / 3) * octave.clamp(-3, 3)
    for _ in range(3):
        centre, width = uniform(count, -3.5, 3, device)[:, None], uniform(count, 0.4, 1.6, device)[:, None]
        gain_db = gain_db + torch.randn(count, 1, device=device) * spread_db * torch.exp(-(((octave - centre) / width) ** 2))
    return 10 ** (gain_db.clamp(-18, 12) / 20)


def telephone_curves(count, bins, device, probability=TELEPHONE):
    """Band limits of some mixtures: 3.3 to 4 kHz at the top, for half of these also 200 to 350 Hz at the bottom; [count, 1, bins]."""
    frequency = torch.linspace(0, RATE_HZ / 2, bins, device=device)
    top = torch.sigmoid((uniform(count, 3300, 4000, device)[:, None] - frequency) / 60)
    bottom = torch.sigmoid((frequency - uniform(count, 200, 350, device)[:, None]) / 25)
    bottom = torch.where(chance(count, 0.5, device)[:, None], bottom, torch.ones_like(bottom))
    return torch.where(chance(count, probability, device)[:, None], top * bottom, torch.ones_like(top))[:, None]


def presence(count, frames, device):
    """Envelopes [count, 2, frames] with soft ends: who speaks when."""
    time = torch.linspace(0, 1, frames, device=device)
    kind = torch.rand(count, device=device)
    begins = uniform(count, 0.1, 0.75, device)
    ends = (begins + uniform(count, 0.05, 0.7, device)).clamp(max=1.2)
    is_inner = chance(count, 0.4, device)  # the second voice speaks within the first one's time
    first_end = torch.where(is_inner, torch.full_like(ends, 2.0), ends)
    second_end = torch.where(is_inner, ends, torch.full_like(ends, 2.0))
    is_partial = (kind >= FULL) & (kind < FULL + PARTIAL)
    is_single = kind >= FULL + PARTIAL
    far = torch.full_like(ends, 2.0)
    start = torch.stack([-far, torch.where(is_partial, begins, -far)], 1)
    start[:, 1] = torch.where(is_single, far, start[:, 1])
    end = torch.stack([torch.where(is_partial, first_end, far), torch.where(is_partial, second_end, far)], 1)
    fade = 0.004
    return ((time - start[..., None]) / fade).clamp(0, 1) * ((end[..., None] - time) / fade).clamp(0, 1)


def active_level(sound, block=1600):
    """RMS [..., 1] of the 0.1 s blocks within 15 dB of the mean power."""
    power = sound[..., : sound.shape[-1] // block * block].unflatten(-1, (-1, block)).square().mean(-1)
    active = power > power.mean(-1, keepdim=True) * 10**-1.5
    return ((power * active).sum(-1) / active.sum(-1).clamp(min=1)).sqrt()[..., None]


def coloured_noise(count, frames, device, rate_hz=RATE_HZ):
    bins = frames // 2 + 1
    frequency = torch.linspace(0, rate_hz / 2, bins, device=device).clamp(min=30)
    slope = uniform(count, -1.2, 0.2, device)[:, None]
    shape = (frequency / 500) ** slope * equalizers(count, bins, device, 6, rate_hz)
    return torch.fft.irfft(torch.fft.rfft(torch.randn(count, frames, device=device)) * shape, frames)


class TwoVoices:
    def __init__(self, pools, frames, rooms_path=None, telephone=TELEPHONE):
        self.pools, self.frames, self.rooms_path, self.telephone = pools, frames, rooms_path, telephone
        self.rooms = None

    def load_rooms(self, device):
        """The rooms may be made while training runs; until then none are used."""
        if self.rooms is None and self.rooms_path and self.rooms_path.exists():
            self.rooms = torch.from_numpy(numpy.load(self.rooms_path)).to(device)
        return self.rooms

    def in_rooms(self, spectrum, length, probability):
        """Puts some of the spectra [count, voices, bins] of sounds of `length` into a room, each voice at a different position."""
        count, voices, _ = spectrum.shape
        device = spectrum.device
        rooms = self.load_rooms(device)
        if rooms is None:
            return spectrum
        chosen = torch.randint(len(rooms), (count, 1), device=device)
        places = torch.rand(count, rooms.shape[1], device=device).argsort(1)[:, :voices]
        response = torch.fft.rfft(rooms[chosen, places].float(), length)
        is_dry = ~chance(count, probability, device)[:, None, None]
        return spectrum * torch.where(is_dry, torch.ones((), device=device, dtype=torch.complex64), response)

    def voices(self, count):
        """float32 [count, 2, frames], each at its own level, in the same room if any; and the spectra's common factor."""
        pool, device = self.pools["voice"], self.pools.device
        speakers = pool.draw_speakers(count, 2).reshape(-1)
        long = self.frames + MARGIN
        rates = torch.exp(uniform(2 * count, -0.19, 0.19, device)) ** (~chance(2 * count, 0.3, device)).float()
        sound = pool.draw(speakers, long, rates).reshape(count, 2, long)
        level_db = uniform(count, -6, 6, device) * torch.where(chance(count, 0.15, device), 1.8, 1.0)
        level = torch.stack([10 ** (level_db / 40), 10 ** (-level_db / 40)], 1)[..., None]
        sound = sound / active_level(sound).clamp(min=1e-4) * level * presence(count, long, device)
        length = 2 ** math.ceil(math.log2(long + RATE_HZ // 2)) if long < 60000 else (long + RATE_HZ // 2 + 3999) // 4000 * 4000
        spectrum = torch.fft.rfft(sound, length)
        bins = spectrum.shape[-1]
        spectrum = spectrum * equalizers(2 * count, bins, device, 3).reshape(count, 2, bins)
        spectrum = self.in_rooms(spectrum, length, ROOM)
        telephone = telephone_curves(count, bins, device, self.telephone)
        voices = torch.fft.irfft(spectrum * telephone, length)[..., MARGIN:long]
        return voices, telephone, length

    def noise(self, count):
        device = self.pools.device
        made = coloured_noise(count, self.frames, device)
        if "effects" in self.pools:
            pool = self.pools["effects"]
            drawn = pool.draw(pool.draw_speakers(count, 1)[:, 0], self.frames, torch.ones(count, device=device))
            made = torch.where(chance(count, 0.6, device)[:, None], drawn, made)
        return made / active_level(made).clamp(min=1e-4)

    def draw(self, count):
        voices, telephone, length = self.voices(count)
        device = self.pools.device
        below_db = uniform(count, 8, 40, device)[:, None]
        level = voices.sum(1).square().mean(-1, keepdim=True).sqrt()
        noise = self.noise(count) * level * 10 ** (-below_db / 20) * chance(count, NOISE, device)[:, None]
        noise = torch.fft.irfft(torch.fft.rfft(noise, length) * telephone[:, 0], length)[..., : self.frames]
        return torch.cat([voices, noise[:, None]], 1)
