"""Speaker embeddings: maps a power spectrum of a second or more to a unit vector of 192 values, similar for the same voice.

Convolutions over time with residual connections and channel gates, then attention-weighted mean and deviation over time.
"""

from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional

from training.networks.voice_mel import log_mel, voice_mel_filters


@dataclass(frozen=True)
class SpeakerEmbeddingConfig:
    kind: str = "speaker-embedding"
    mels: int = 80
    width: int = 320
    dilations: tuple = (1, 2, 3, 4, 1)
    size: int = 192
    classes: int = 0
    """Number of training speakers; an exported network has none."""

    to_dict = asdict


class Block(nn.Module):
    def __init__(self, width, dilation):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, width)
        self.near = nn.Conv1d(width, width, 5, padding=2 * dilation, dilation=dilation, groups=width)
        self.down = nn.Linear(width, width)
        self.gate_in = nn.Linear(width, width // 4)
        self.gate_out = nn.Linear(width // 4, width)

    def forward(self, x):
        y = functional.gelu(self.up(self.norm(x)))
        y = functional.gelu(self.near(y.transpose(1, 2)).transpose(1, 2))
        y = self.down(y)
        gate = torch.sigmoid(self.gate_out(functional.relu(self.gate_in(y.mean(1, keepdim=True)))))
        return x + y * gate


class SpeakerEmbedding(nn.Module):
    def __init__(self, config=SpeakerEmbeddingConfig()):
        super().__init__()
        self.config = config
        self.register_buffer("filters", voice_mel_filters(config.mels), persistent=False)
        self.begin = nn.Conv1d(config.mels, config.width, 5, padding=2)
        self.blocks = nn.ModuleList(Block(config.width, dilation) for dilation in config.dilations)
        self.norm = nn.LayerNorm(config.width)
        self.attend_in = nn.Linear(config.width, config.width // 4)
        self.attend_out = nn.Linear(config.width // 4, config.width)
        self.norm_pooled = nn.LayerNorm(2 * config.width)
        self.end = nn.Linear(2 * config.width, config.size)
        if config.classes:
            self.classes = nn.Parameter(torch.randn(config.classes, config.size) * 0.1)

    def forward(self, power):
        """[n, frames, bins] → [n, size], each of length 1."""
        mels = log_mel(power, self.filters)
        x = self.begin((mels - mels.mean(1, keepdim=True)).transpose(1, 2)).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        x = self.norm(x).float()
        weight = torch.softmax(self.attend_out(torch.tanh(self.attend_in(x))).float(), 1)
        mean = (x * weight).sum(1)
        spread = ((x.square() * weight).sum(1) - mean.square()).clamp(min=1e-5).sqrt()
        found = self.end(self.norm_pooled(torch.cat([mean, spread], 1))).float()
        return found / found.square().sum(1, keepdim=True).clamp(min=1e-12).sqrt()
