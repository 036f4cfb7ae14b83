"""A guitar amplifier: a tightened low end, a soft clipper, a cabinet that ends near 5 kHz."""

import torch

from training.mix import augment

CABINET_HZ = (3500, 7000)
TIGHT_HZ = (80, 300)


def amplify(sound, drive_db):
    """[count, 2, frames]; `drive_db` [count], 0 leaves a sound as it is. The guitar is mono, as it is in front of an amplifier."""
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
