"""The transform pair of the networks for speech: mono, centred with zeros; at 16 kHz Hann 640, hop 160, at 48 kHz Hann 2048, hop 1024.

Real layout of a spectrum: [count, 2, frames, bins], channels (re, im).
"""

import torch

from training.networks.overlap import overlap_add

RATE_HZ = 16000
WINDOW = 640
HOP = 160
BINS = WINDOW // 2 + 1
FULL_BAND = (2048, 1024)
"""Window and hop at 48 kHz: those of the networks for stereo."""


def stft(sound, size=WINDOW, hop=HOP):
    """[..., samples] → [..., 2, frames, bins], frames = samples // hop + 1."""
    window = torch.hann_window(size, device=sound.device)
    flat = sound.reshape(-1, sound.shape[-1])
    spectrum = torch.stft(flat, size, hop, window=window, center=True, pad_mode="constant", return_complex=True)
    parts = torch.view_as_real(spectrum).permute(0, 3, 2, 1)
    return parts.reshape(*sound.shape[:-1], *parts.shape[-3:])


def istft(parts, samples, size=WINDOW, hop=HOP):
    """[..., 2, frames, bins] → [..., samples], for samples = (frames − 1) · hop."""
    flat = parts.reshape(-1, *parts.shape[-3:])
    window = torch.hann_window(size, device=parts.device)
    sound = overlap_add(torch.complex(flat[:, 0], flat[:, 1]), window, hop, samples)
    return sound.reshape(*parts.shape[:-3], samples)
