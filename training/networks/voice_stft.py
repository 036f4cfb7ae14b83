"""The transform pair of the networks for speech: mono at 16 kHz, Hann 640, hop 160, centred with zeros.

Real layout of a spectrum: [count, 2, frames, bins], channels (re, im).
"""

import torch

from training.networks.overlap import overlap_add

RATE_HZ = 16000
WINDOW = 640
HOP = 160
BINS = WINDOW // 2 + 1


def stft(sound):
    """[..., samples] → [..., 2, frames, bins], frames = samples // HOP + 1."""
    window = torch.hann_window(WINDOW, device=sound.device)
    flat = sound.reshape(-1, sound.shape[-1])
    spectrum = torch.stft(flat, WINDOW, HOP, window=window, center=True, pad_mode="constant", return_complex=True)
    parts = torch.view_as_real(spectrum).permute(0, 3, 2, 1)
    return parts.reshape(*sound.shape[:-1], *parts.shape[-3:])


def istft(parts, samples):
    """[..., 2, frames, bins] → [..., samples], for samples = (frames − 1) · HOP."""
    flat = parts.reshape(-1, *parts.shape[-3:])
    window = torch.hann_window(WINDOW, device=parts.device)
    sound = overlap_add(torch.complex(flat[:, 0], flat[:, 1]), window, HOP, samples)
    return sound.reshape(*parts.shape[:-3], samples)
