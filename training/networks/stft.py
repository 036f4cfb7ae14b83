"""The transform pair outside the graph: Hann 2048, hop 1024, centred with zeros.

Real layout of a stereo spectrum: [count, 4, frames, bins], channels (left re, left im, right re, right im).
"""

import torch

WINDOW = 2048
HOP = 1024
BINS = WINDOW // 2 + 1


def stft(sound):
    """[..., 2, samples] → [..., 4, frames, bins]."""
    lead = sound.shape[:-2]
    flat = sound.reshape(-1, sound.shape[-1])
    window = torch.hann_window(WINDOW, device=sound.device)
    spectrum = torch.stft(flat, WINDOW, HOP, window=window, center=True, pad_mode="constant", return_complex=True)
    parts = torch.view_as_real(spectrum)  # [n, bins, frames, 2]
    parts = parts.permute(0, 3, 2, 1)  # [n, 2, frames, bins]
    return parts.reshape(*lead, 4, *parts.shape[-2:])


def power_spectrum(sound):
    """[..., samples] → [..., frames, bins], with the frames of `stft`."""
    window = torch.hann_window(WINDOW, device=sound.device)
    flat = sound.reshape(-1, sound.shape[-1])
    spectrum = torch.stft(flat, WINDOW, HOP, window=window, center=True, pad_mode="constant", return_complex=True)
    power = torch.view_as_real(spectrum).square().sum(-1).transpose(1, 2)
    return power.reshape(*sound.shape[:-1], *power.shape[-2:])


def istft(parts, samples):
    """[..., 4, frames, bins] → [..., 2, samples]; samples ≤ (frames − 1) · HOP + HOP.

    The hop is half the window, so overlap-add is a sum of two shifted halves. torch.istft does the same but waits for the device.
    """
    lead = parts.shape[:-3]
    flat = parts.reshape(-1, 2, *parts.shape[-2:])
    window = torch.hann_window(WINDOW, device=parts.device)
    frames = torch.fft.irfft(torch.complex(flat[:, 0], flat[:, 1]), WINDOW) * window
    blocks = frames[:, 1:, :HOP] + frames[:, :-1, HOP:]
    overlap = window[:HOP].square() + window[HOP:].square()
    tail = frames[:, -1:, HOP:] / window[HOP:].square().clamp(min=1e-3)
    sound = torch.cat([blocks / overlap, tail], 1).reshape(len(flat), -1)[:, :samples]
    return sound.reshape(*lead, 2, samples)
