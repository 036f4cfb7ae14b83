"""The music analyser: beats and downbeats at 50 Hz, chords and keys at 10 Hz.

Two spectra go in: a fine one in time (beats) and a fine one in pitch (chords). Each has its own layers of convolutions over time and attention;
what was learnt about harmony is given to the beats, since chords change on downbeats.
"""

import math
from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional

RATE_HZ = 22050
BEAT_HOP, BEAT_WINDOW, BEAT_BANDS = 441, 1024, 96
CHORD_HOP, CHORD_WINDOW, CHORD_BANDS = 2205, 8192, 252
RATIO = CHORD_HOP // BEAT_HOP
LOWEST_HZ, BANDS_PER_OCTAVE = 440 * 2 ** ((28 - 69 - 1 / 3) / 12), 36
"""Band 1 is E1 in tune; three bands a semitone, seven octaves."""
BEAT_LOW_HZ, BEAT_HIGH_HZ = 30.0, 10500.0
QUIETEST = 1e-4
METRES, ROOTS, QUALITIES, KEYS = 8, 13, 9, 24
DROPOUT = 0.1


@dataclass(frozen=True)
class MusicAnalyserConfig:
    kind: str = "music-analyser"
    width: int = 128
    beat_channels: tuple = (12, 24, 40)
    chord_channels: tuple = (12, 24, 32)
    beat_dilations: tuple = (1, 2, 4, 8, 16, 32)
    chord_dilations: tuple = (1, 2, 4, 8)
    hidden: int = 320

    to_dict = asdict


def mel_of(hz):
    return 2595 * math.log10(1 + hz / 700)


def band_edges(centers):
    """Corner frequencies of triangles: each reaches its neighbours' centres."""
    return centers[:-2], centers[1:-1], centers[2:]


def triangles(low, center, high, window):
    """[bins, bands]; a band narrower than a bin reads its neighbouring bins by distance. Each band's weights sum to 1."""
    bin_hz = RATE_HZ / window
    hz = torch.arange(window // 2 + 1, dtype=torch.float64)[:, None] * bin_hz
    low, center, high = (torch.as_tensor(value, dtype=torch.float64)[None] for value in (low, center, high))
    low, high = torch.minimum(low, center - bin_hz), torch.maximum(high, center + bin_hz)
    weight = torch.minimum((hz - low) / (center - low), (high - hz) / (high - center)).clamp(min=0)
    return (weight / weight.sum(0, keepdim=True)).float()


def beat_filters():
    steps = torch.linspace(mel_of(BEAT_LOW_HZ), mel_of(BEAT_HIGH_HZ), BEAT_BANDS + 2, dtype=torch.float64)
    return triangles(*band_edges(700 * (10 ** (steps / 2595) - 1)), BEAT_WINDOW)


def chord_filters():
    centers = LOWEST_HZ * 2 ** (torch.arange(-1, CHORD_BANDS + 1, dtype=torch.float64) / BANDS_PER_OCTAVE)
    return triangles(*band_edges(centers), CHORD_WINDOW)


def log_power(power):
    return torch.log(power / QUIETEST + 1) / 4


def spectrum_of(sound, window, hop, frames):
    """Power of Hann windows centred on multiples of `hop` [n, frames, bins], scaled so that a full-scale sine has about the same power at any window."""
    hann = torch.hann_window(window, device=sound.device)
    padded = functional.pad(sound, (window // 2, window // 2 + hop))
    pieces = padded.unfold(-1, window, hop)[:, :frames]
    return torch.fft.rfft(pieces * (hann / hann.sum())).abs().square()


class Features(nn.Module):
    """Sound at 22,050 Hz, RMS about 1 → the two inputs of the network."""

    def __init__(self):
        super().__init__()
        self.register_buffer("beat_filters", beat_filters(), persistent=False)
        self.register_buffer("chord_filters", chord_filters(), persistent=False)

    def forward(self, sound):
        frames = sound.shape[-1] // BEAT_HOP
        beats = log_power(spectrum_of(sound, BEAT_WINDOW, BEAT_HOP, frames) @ self.beat_filters)
        chords = log_power(spectrum_of(sound, CHORD_WINDOW, CHORD_HOP, frames // RATIO) @ self.chord_filters)
        return beats, chords


class Stage(nn.Module):
    """A convolution that divides the bands, then a residual one."""

    def __init__(self, given, channels, divide, kernel):
        super().__init__()
        self.divide = nn.Conv2d(given, channels, (3, kernel), stride=(1, divide), padding=(1, kernel // 2))
        self.again = nn.Conv2d(channels, channels, 3, padding=1)
        nn.init.zeros_(self.again.weight)

    def forward(self, x):
        x = functional.gelu(self.divide(x))
        return x + self.again(x)


class Attention(nn.Module):
    """Self-attention with rotary positions."""

    HEADS = 4
    in_plain_operators = False

    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width, bias=False)
        size = width // self.HEADS
        self.register_buffer("rates", 10000.0 ** (-torch.arange(0, size, 2) / size), persistent=False)

    def turn(self, x, angles):
        first, second = x.chunk(2, -1)
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([first * cos - second * sin, first * sin + second * cos], -1)

    def forward(self, x):
        n, length, width = x.shape
        qkv = self.qkv(self.norm(x)).reshape(n, length, 3, self.HEADS, width // self.HEADS).permute(2, 0, 3, 1, 4)
        angles = torch.arange(length, device=x.device, dtype=self.rates.dtype)[:, None] * self.rates
        q, k = (self.turn(part.float(), angles).to(qkv.dtype) for part in (qkv[0], qkv[1]))
        if self.in_plain_operators:
            y = torch.softmax(q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1]), -1) @ qkv[2]
        else:
            y = functional.scaled_dot_product_attention(q, k, qkv[2])
        return x + self.out(y.transpose(1, 2).reshape(n, length, width))


class Block(nn.Module):
    """A depthwise convolution over time, then a feed-forward layer, with residual connections; [n, length, width]."""

    def __init__(self, width, hidden, dilation, attends):
        super().__init__()
        self.over_time = nn.Conv1d(width, width, 7, padding=3 * dilation, dilation=dilation, groups=width)
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, hidden)
        self.dropout = nn.Dropout(DROPOUT)
        self.down = nn.Linear(hidden, width)
        self.attention = Attention(width) if attends else nn.Identity()

    def forward(self, x):
        y = self.over_time(x.transpose(1, 2)).transpose(1, 2)
        x = x + self.down(self.dropout(functional.gelu(self.up(self.norm(y)))))
        return self.attention(x)


class MusicAnalyser(nn.Module):
    def __init__(self, config=MusicAnalyserConfig()):
        super().__init__()
        self.config = config
        width, one, two, three = config.width, *config.beat_channels
        self.beat_front = nn.Sequential(Stage(1, one, 2, 3), Stage(one, two, 2, 3), Stage(two, three, 2, 3))
        self.beat_tokens = nn.Linear(three * (BEAT_BANDS // 8), width)
        low, middle, high = config.chord_channels
        self.chord_front = nn.Sequential(Stage(1, low, 1, 5), Stage(low, middle, 3, 5), Stage(middle, high, 1, 13))
        self.chord_tokens = nn.Linear(high * (CHORD_BANDS // 3), width)
        self.dropout = nn.Dropout(DROPOUT)
        self.chord_blocks = nn.ModuleList(Block(width, config.hidden, dilation, True) for dilation in config.chord_dilations)
        self.beat_blocks = nn.ModuleList(Block(width, config.hidden, dilation, number % 2 == 1) for number, dilation in enumerate(config.beat_dilations))
        self.to_beats = nn.Linear(width, width)
        self.beat_norm, self.chord_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        self.beat_heads = nn.Linear(width, 2 + METRES)
        self.chord_heads = nn.Linear(width, ROOTS * 2 - 1 + QUALITIES + ROOTS + KEYS)

    def forward(self, features):
        """([n, 5k, BEAT_BANDS], [n, k, CHORD_BANDS]) → logits [n, 5k, beat, downbeat, metres] and [n, k, 25 chords, qualities, basses, keys]."""
        beats, chords = features
        y = self.chord_front(chords.float().unsqueeze(1))
        y = self.chord_tokens(self.dropout(y.transpose(1, 2).flatten(2)))
        for block in self.chord_blocks:
            y = block(y)
        y = self.chord_norm(y)
        x = self.beat_front(beats.float().unsqueeze(1))
        x = self.beat_tokens(self.dropout(x.transpose(1, 2).flatten(2)))
        half = len(self.beat_blocks) // 2
        for block in self.beat_blocks[:half]:
            x = block(x)
        x = x + self.to_beats(y).unsqueeze(2).expand(-1, -1, RATIO, -1).flatten(1, 2)
        for block in self.beat_blocks[half:]:
            x = block(x)
        return self.beat_heads(self.beat_norm(x)).float(), self.chord_heads(y).float()
