"""Mel features of speech, inside the graphs."""

import torch

from training.networks.music_detector import mel_filters
from training.networks.voice_stft import BINS, RATE_HZ


def voice_mel_filters(count):
    return mel_filters(count, 60.0, 7600.0, BINS, RATE_HZ)


def log_mel(power, filters):
    """[n, frames, bins] → [n, frames, mels], independent of level: 0 is the window's mean power, silence −14 (−60 dB)."""
    mean = power.mean((1, 2), keepdim=True)
    bands = torch.matmul(power / (mean + 1e-10), filters)
    return torch.log(bands + 1e-6)
