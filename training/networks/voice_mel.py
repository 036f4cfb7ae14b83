"""Mel features of speech, inside the graphs: log power in bands, each band's mean over the window taken away."""

import torch

from training.networks.voice_stft import BINS, RATE_HZ


def voice_mel_filters(count, low_hz=60.0, high_hz=7600.0):
    """Triangles of equal sum, even on the mel scale [bins, count]."""
    to_mel = lambda hz: 2595 * torch.log10(1 + torch.tensor(hz) / 700)
    edges_mel = torch.linspace(float(to_mel(low_hz)), float(to_mel(high_hz)), count + 2)
    edges = (700 * (10 ** (edges_mel / 2595) - 1))[:, None]
    frequency = torch.linspace(0, RATE_HZ / 2, BINS)
    rising = (frequency - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - frequency) / (edges[2:] - edges[1:-1])
    filters = torch.minimum(rising, falling).clamp(min=0) + 1e-6
    return (filters / filters.sum(1, keepdim=True)).T.contiguous()


def log_mel(power, filters):
    """[n, frames, bins] → [n, frames, mels], whatever the level: 0 is the window's mean power, silence −9 (about −78 dB)."""
    mean = power.mean((1, 2), keepdim=True)
    bands = torch.matmul(power / (mean + 1e-10), filters)
    return torch.log(bands + 1.2e-4)
