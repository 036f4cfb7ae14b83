"""A guitar amplifier: a tightened low end, a soft clipper, a cabinet that ends near 5 kHz; and the pedal that lets a vowel wander over the sound."""

import torch

from training.mix import augment
from training.networks.stft import HOP, WINDOW, istft, stft

CABINET_HZ = (3500, 7000)
TIGHT_HZ = (80, 300)
WAH_LOWEST_HZ = 350
WAH_OCTAVES = 2.7
WAH_FLOOR = 0.12


def amplify(sound, drive_db):
    """[count, 2, frames]; `drive_db` [count], 0 leaves the sound unchanged. The guitar is mono, as before an amplifier."""
    count, _, frames = sound.shape
    device = sound.device
    mono = sound.mean(1, keepdim=True)
    length = augment.fast_length(frames)
    frequency = torch.linspace(0, augment.RATE_HZ / 2, length // 2 + 1, device=device)
    tight_hz = augment.uniform(count, *TIGHT_HZ, device)[:, None, None]
    high_pass = frequency**2 / (frequency**2 + tight_hz**2)
    tightened = torch.fft.irfft(torch.fft.rfft(mono, length) * high_pass, length)[..., :frames]
    level = augment.active_level(tightened.expand(-1, 2, -1)).clamp(min=1e-4)
    clipped = torch.tanh(tightened / level * 10 ** ((drive_db - 12) / 20)[:, None, None])
    cabinet = augment.low_pass_curves(augment.uniform(count, *CABINET_HZ, device), length // 2 + 1)
    driven = torch.fft.irfft(torch.fft.rfft(clipped, length) * cabinet, length)[..., :frames]
    is_driven = (drive_db > 0)[:, None, None]
    return torch.where(is_driven, (0.2 * driven).expand_as(sound), sound)


def wah(sound, on):
    """[count, 2, frames]; a resonance that sweeps up and down, for the indices in `on`."""
    if not on:
        return sound
    device = sound.device
    spectrum = stft(sound[on])
    draw = lambda low, high: augment.uniform(len(on), low, high, device)[:, None]
    seconds = torch.arange(spectrum.shape[-2], device=device) * HOP / augment.RATE_HZ
    swing = 0.5 + 0.5 * torch.sin(2 * torch.pi * (draw(0.2, 3) * seconds + draw(0, 1)))
    centre_hz = (WAH_LOWEST_HZ * 2 ** (WAH_OCTAVES * swing))[:, None, :, None]
    frequency = torch.arange(spectrum.shape[-1], device=device).clamp(min=1) * augment.RATE_HZ / WINDOW
    detune = draw(1, 4)[..., None, None] * (frequency / centre_hz - centre_hz / frequency)
    gain = WAH_FLOOR + (1 - WAH_FLOOR) * torch.rsqrt(1 + detune**2)
    return sound.index_copy(0, torch.tensor(on, device=device), istft(spectrum * gain, sound.shape[-1]))
