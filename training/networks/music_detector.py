"""The music detector: a mel spectrum through convolutions that halve it, then dilated ones over time.

Every output depends on the 378 spectra before and after it and on nothing else, so a long file can be run in pieces with that much context and gives the same numbers.
The mel filters are inside the graph: a program that runs it needs the power spectrum alone.
"""

from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional

from training.networks.stft import BINS

RATE_HZ = 44100
STRIDE = 4
"""Spectra per output: 4 hops of 1024, 93 ms."""
CLASSES = ("music", "dialogue", "effects")
DROPOUT = 0.1
QUIETEST = 1e-5
"""Power of noise at about −80 dBFS in a bin; silence gives features of 0, like the padding."""


@dataclass(frozen=True)
class MusicDetectorConfig:
    kind: str = "music-detector"
    mels: int = 96
    channels: tuple = (16, 48, 96)
    width: int = 256
    hidden: int = 512
    kernel: int = 7
    dilations: tuple = (1, 2, 4, 8, 1, 2, 4, 8)
    # Weights of `evidence` and an offset in the log-odds of music, fitted on held-out clips after training.
    confidence: tuple = (1.0, 0.0, 0.0, 0.0, 0.0)

    to_dict = asdict


def mel_filters(count, low_hz=40.0, high_hz=16000.0, bins=BINS, rate_hz=RATE_HZ):
    """Triangles of equal sum, evenly spaced on the mel scale [bins, count]."""
    to_mel = lambda hz: 2595 * torch.log10(1 + hz / 700)
    edges_mel = torch.linspace(float(to_mel(torch.tensor(low_hz))), float(to_mel(torch.tensor(high_hz))), count + 2)
    edges = (700 * (10 ** (edges_mel / 2595) - 1))[:, None]
    frequency = torch.linspace(0, rate_hz / 2, bins)
    rising = (frequency - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - frequency) / (edges[2:] - edges[1:-1])
    filters = torch.minimum(rising, falling).clamp(min=0) + 1e-6
    return (filters / filters.sum(1, keepdim=True)).T.contiguous()


class Stage(nn.Module):
    """A convolution that halves the bands, and with `stride` the spectra too, then two residual ones."""

    def __init__(self, given, channels, stride):
        super().__init__()
        self.halve = nn.Conv2d(given, channels, 3, stride=(stride, 2), padding=1)
        self.first = nn.Conv2d(channels, channels, 3, padding=1)
        self.second = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.zeros_(self.second.weight)

    def forward(self, x):
        x = functional.gelu(self.halve(x))
        return x + self.second(functional.gelu(self.first(x)))


class Block(nn.Module):
    """A depthwise convolution over time, then a feed-forward layer, with residual connections; [n, length, width]."""

    def __init__(self, config, dilation):
        super().__init__()
        reach = dilation * (config.kernel // 2)
        self.over_time = nn.Conv1d(config.width, config.width, config.kernel, padding=reach, dilation=dilation, groups=config.width)
        self.norm = nn.LayerNorm(config.width)
        self.up = nn.Linear(config.width, config.hidden)
        self.dropout = nn.Dropout(DROPOUT)
        self.down = nn.Linear(config.hidden, config.width)

    def forward(self, x):
        y = self.over_time(x.transpose(1, 2)).transpose(1, 2)
        return x + self.down(self.dropout(functional.gelu(self.up(self.norm(y)))))


def evidence(logits):
    """The evidence for music [..., 4]: its own logit, those of the other classes, and its logit under speech.
    Under speech the network is less confident of music than it could be, and more confident if nothing else is audible."""
    music, others = logits[..., 0], torch.sigmoid(logits[..., 1:])
    return torch.stack([music, others[..., 0], others[..., 1], music * others[..., 0]], -1)


def probability_of(logits, confidence):
    *weights, offset = confidence
    return torch.sigmoid((evidence(logits) * torch.tensor(weights, dtype=logits.dtype, device=logits.device)).sum(-1) + offset)


class MusicDetector(nn.Module):
    def __init__(self, config=MusicDetectorConfig()):
        super().__init__()
        self.config = config
        first, second, third = config.channels
        self.front = nn.ModuleList([Stage(1, first, 1), Stage(first, second, 2), Stage(second, third, 2)])
        self.dropout = nn.Dropout(DROPOUT)
        self.tokens = nn.Linear(third * (config.mels // 8), config.width)
        self.blocks = nn.ModuleList(Block(config, dilation) for dilation in config.dilations)
        self.norm = nn.LayerNorm(config.width)
        self.classes = nn.Linear(config.width, len(CLASSES))
        self.register_buffer("filters", mel_filters(config.mels), persistent=False)

    def features(self, power):
        mel = torch.matmul(power, self.filters)
        return torch.log(mel / QUIETEST + 1) / 4

    def forward(self, power):
        """[n, frames, bins] → logits [n, ⌈frames / 4⌉, classes]; output k is centred on frame 4k."""
        x = self.features(power.float()).unsqueeze(1)
        for stage in self.front:
            x = stage(x)
        x = self.tokens(self.dropout(x.transpose(1, 2).flatten(2)))
        for block in self.blocks:
            x = block(x)
        return self.classes(self.norm(x)).float()

    def probability(self, power):
        """The probability of music at each output [n, ⌈frames / 4⌉]."""
        return probability_of(self.forward(power), self.config.confidence)
