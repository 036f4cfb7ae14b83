"""Windows of conversation: up to three voices that alternate and overlap, in one room, with noise; and who is active when."""

import torch

from training.mix.augment import chance, uniform
from training.mix.two_voices import MARGIN, TwoVoices, active_level, equalizers, telephone_curves
from training.mix.voice_pool import RATE_HZ

STEP = 320
"""20 ms: the resolution of the labels."""


def turns(count, speakers, frames, device):
    """Envelopes [count, speakers, frames] of 0 and 1: the voice with the highest random score speaks, others overlap if theirs is close."""
    grain = RATE_HZ // 20
    slots = frames // grain + 1
    kernel = torch.hann_window(61, device=device)[None, None]
    urge = torch.nn.functional.conv1d(torch.randn(count * (speakers + 1), 1, slots + 60, device=device), kernel / kernel.norm())[:, 0]
    urge = urge.reshape(count, speakers + 1, slots)
    talkers = torch.randint(1, speakers + 1, (count, 1), device=device)
    is_there = torch.arange(speakers, device=device) < talkers
    voices = torch.where(is_there[..., None], urge[:, :speakers], torch.full((), -99.0, device=device))
    margin = uniform(count, 0.0, 0.9, device)[:, None, None] * chance(count, 0.8, device)[:, None, None]
    pause = urge[:, speakers :] > uniform(count, 0.3, 2.0, device)[:, None, None]
    speaks = (voices >= voices.amax(1, keepdim=True) - margin) & (voices > -50) & ~pause
    return speaks.float().repeat_interleave(grain, 2)[..., :frames]


def active(voices):
    """Who is active in which step, from dry voices [count, speakers, frames]: within 35 dB of the voice's peak, short gaps closed."""
    power = voices[..., : voices.shape[-1] // STEP * STEP].unflatten(-1, (-1, STEP)).square().mean(-1)
    loud = (power > power.amax(-1, keepdim=True) * 10**-3.5) & (power > 1e-7)
    closed = torch.nn.functional.max_pool1d(loud.float(), 15, 1, 7)
    return -torch.nn.functional.max_pool1d(-closed, 15, 1, 7)


class Conversation(TwoVoices):
    """Draws (sound [count, frames], active [count, steps, speakers])."""

    def __init__(self, pools, frames, rooms_path=None, speakers=3, **options):
        super().__init__(pools, frames, rooms_path, **options)
        self.speakers = speakers

    def draw(self, count):
        pool, device = self.pools["voice"], self.pools.device
        long = self.frames + MARGIN
        who = pool.draw_speakers(count, self.speakers).reshape(-1)
        rates = torch.exp(uniform(len(who), -0.15, 0.15, device)) ** (~chance(len(who), 0.5, device)).float()
        voices = pool.draw(who, long, rates).reshape(count, self.speakers, long)
        voices = voices / active_level(voices).clamp(min=1e-4) * 10 ** (uniform(count * self.speakers, -5, 5, device).reshape(count, -1, 1) / 20)
        voices = voices * turns(count, self.speakers, long, device)
        length = (long + RATE_HZ // 2 + 3999) // 4000 * 4000
        spectrum = torch.fft.rfft(voices, length)
        bins = spectrum.shape[-1]
        coloured = spectrum * equalizers(count * self.speakers, bins, device, 3).reshape(count, self.speakers, bins)
        coloured = self.in_rooms(coloured, length, 0.6)
        telephone = telephone_curves(count, bins, device, self.telephone)
        sound = torch.fft.irfft(coloured.sum(1) * telephone[:, 0], length)[:, MARGIN:long]
        level = sound.square().mean(-1, keepdim=True).sqrt().clamp(min=1e-3)
        noise = self.noise(count) * level * 10 ** (-uniform(count, 3, 40, device)[:, None] / 20) * chance(count, 0.7, device)[:, None]
        return sound + noise, active(voices[..., MARGIN:]).transpose(1, 2)
