"""Diarization of up to three voices in a window of ten seconds: a probability per voice every 20 ms. The order of the outputs is arbitrary."""

from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional

from training.networks.band_split import Layer, rotary_table
from training.networks.voice_mel import log_mel, voice_mel_filters

LONGEST_STEPS = 800


@dataclass(frozen=True)
class SpeakerTurnsConfig:
    kind: str = "speaker-turns"
    mels: int = 80
    width: int = 128
    depth: int = 6
    heads: int = 4
    feed_forward: int = 384
    speakers: int = 3

    to_dict = asdict


class SpeakerTurns(nn.Module):
    def __init__(self, config=SpeakerTurnsConfig()):
        super().__init__()
        self.config = config
        self.register_buffer("filters", voice_mel_filters(config.mels), persistent=False)
        self.begin = nn.Conv1d(config.mels, 2 * config.width, 5, padding=2)
        self.halve = nn.Conv1d(2 * config.width, config.width, 4, stride=2, padding=1)
        self.near = nn.ModuleList(nn.Conv1d(config.width, config.width, 9, padding=4, groups=config.width) for _ in range(config.depth))
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.depth))
        self.norm = nn.LayerNorm(config.width)
        self.end = nn.Linear(config.width, config.speakers)
        cosine, sine = rotary_table(LONGEST_STEPS, config.width // config.heads)
        self.register_buffer("cosine", cosine, persistent=False)
        self.register_buffer("sine", sine, persistent=False)

    def forward(self, power):
        """[n, frames, bins] → logits [n, frames // 2, speakers]."""
        mels = log_mel(power, self.filters)
        x = functional.gelu(self.begin(mels.transpose(1, 2)))
        x = functional.gelu(self.halve(x)).transpose(1, 2)
        steps = x.shape[1]
        for near, layer in zip(self.near, self.layers):
            x = x + near(x.transpose(1, 2)).transpose(1, 2)
            x = layer(x, self.cosine[:steps], self.sine[:steps])
        return self.end(self.norm(x))

    def probability(self, power):
        return torch.sigmoid(self.forward(power))
