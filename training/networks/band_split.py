"""The band-split attention network: bands of the spectrum become tokens, with attention over time and over bands in turn.

The graph maps a stereo spectrum as real numbers to the stems' spectra, which sum to the input by construction.
Only plain operators, so that it exports to ONNX; the number of frames is free.
"""

import math
from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional

from training.networks.stft import BINS


class BandTable:
    """Derived from a configuration's `bands`: pairs of (bands, bins per band)."""

    @property
    def band_count(self):
        return sum(count for count, _ in self.bands)

    @property
    def padded_bins(self):
        return sum(count * size for count, size in self.bands)


@dataclass(frozen=True)
class BandSplitConfig(BandTable):
    kind: str = "band-split"
    stems: int = 3
    width: int = 128
    depth: int = 6
    heads: int = 4
    feed_forward: int = 384
    mask_hidden: int = 248
    # (bands, bins per band): finer where the ear and the energy are. One bin more than the spectrum has is zero padding.
    bands: tuple = ((12, 4), (8, 8), (6, 16), (5, 32), (4, 64), (3, 134))

    @property
    def parts(self):
        """Real and imaginary part of mid and side."""
        return 4

    to_dict = asdict


LONGEST_FRAMES = 768
"""17.8 s: the longest window the position table supports. Training windows have 259."""


def rotary_table(frames, size):
    rates = 10000 ** (-torch.arange(0, size, 2).float() / size)
    angle = torch.arange(frames).float()[:, None] * rates
    return torch.cos(angle), torch.sin(angle)


def rotate(x, cosine, sine):
    first, second = x.chunk(2, -1)
    return torch.cat([first * cosine - second * sine, second * cosine + first * sine], -1)


def attend(q, k, v, in_plain_operators):
    if not in_plain_operators:
        return functional.scaled_dot_product_attention(q, k, v)
    scores = torch.matmul(q * (1 / math.sqrt(q.shape[-1])), k.transpose(-1, -2))
    return torch.matmul(torch.softmax(scores, -1), v)


class Layer(nn.Module):
    """Pre-norm attention along one axis and a feed-forward layer, for [rows, length, width]."""

    def __init__(self, config):
        super().__init__()
        self.heads = config.heads
        self.in_plain_operators = not hasattr(functional, "scaled_dot_product_attention")
        self.norm_attention = nn.LayerNorm(config.width)
        self.qkv = nn.Linear(config.width, 3 * config.width, bias=False)
        self.out = nn.Linear(config.width, config.width, bias=False)
        self.norm_feed = nn.LayerNorm(config.width)
        self.up = nn.Linear(config.width, config.feed_forward)
        self.down = nn.Linear(config.feed_forward, config.width)
        for last in (self.out, self.down):
            nn.init.normal_(last.weight, std=0.3 / math.sqrt(last.in_features * 2 * config.depth))

    def forward(self, x, cosine, sine):
        rows, length, width = x.shape
        qkv = self.qkv(self.norm_attention(x)).reshape(rows, length, 3, self.heads, width // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        q, k = rotate(q, cosine, sine).to(v.dtype), rotate(k, cosine, sine).to(v.dtype)
        mixed = attend(q, k, v, self.in_plain_operators)
        x = x + self.out(mixed.transpose(1, 2).reshape(rows, length, width))
        return x + self.down(functional.gelu(self.up(self.norm_feed(x))))


class BandGroup(nn.Module):
    """Bands of equal size: one batched product in, a small MLP per band out."""

    def __init__(self, config, count, size):
        super().__init__()
        self.count, self.size, self.stems, self.parts, self.width = count, size, config.stems, config.parts, config.width
        hidden, inputs, outputs = config.mask_hidden, config.parts * size, config.stems * config.parts * size
        self.encode_weight = nn.Parameter(torch.randn(count, inputs, config.width) / math.sqrt(inputs))
        self.encode_bias = nn.Parameter(torch.zeros(count, 1, config.width))
        self.hidden_weight = nn.Parameter(torch.randn(count, config.width, hidden) / math.sqrt(config.width))
        self.hidden_bias = nn.Parameter(torch.zeros(count, 1, hidden))
        self.mask_weight = nn.Parameter(torch.randn(count, hidden, outputs) * (0.3 / math.sqrt(hidden)))
        self.mask_bias = nn.Parameter(torch.zeros(count, 1, outputs))

    def encode(self, parts):
        """[n, parts, frames, count·size] → [n, frames, count, width]."""
        n, _, frames, _ = parts.shape
        x = parts.reshape(n, self.parts, frames, self.count, self.size).permute(3, 0, 2, 1, 4)
        x = x.reshape(self.count, -1, self.parts * self.size)
        x = torch.matmul(x, self.encode_weight) + self.encode_bias
        return x.reshape(self.count, n, frames, self.width).permute(1, 2, 0, 3)

    def decode(self, x):
        """[n, frames, count, width] → masks [n, stems·parts, frames, count·size]."""
        n, frames, _, width = x.shape
        x = x.permute(2, 0, 1, 3).reshape(self.count, -1, width)
        x = functional.gelu(torch.matmul(x, self.hidden_weight) + self.hidden_bias)
        x = torch.matmul(x, self.mask_weight) + self.mask_bias
        x = x.reshape(self.count, n, frames, self.stems * self.parts, self.size).permute(1, 3, 2, 0, 4)
        return x.reshape(n, self.stems * self.parts, frames, self.count * self.size)


class Bands(nn.Module):
    """All groups of a spectrum, in order."""

    def __init__(self, config):
        super().__init__()
        self.groups = nn.ModuleList(BandGroup(config, count, size) for count, size in config.bands)

    def tokens(self, features):
        """[n, parts, frames, padded bins] → [n, frames, bands, width]."""
        pieces, at = [], 0
        for group in self.groups:
            span = group.count * group.size
            pieces.append(group.encode(features[..., at : at + span]))
            at += span
        return torch.cat(pieces, 2)

    def masks(self, x):
        """[n, frames, bands, width] → [n, stems·parts, frames, padded bins]."""
        pieces, at = [], 0
        for group in self.groups:
            pieces.append(group.decode(x[:, :, at : at + group.count]))
            at += group.count
        return torch.cat(pieces, -1)


class BandSplit(Bands):
    def __init__(self, config=BandSplitConfig()):
        super().__init__(config)
        self.config = config
        self.time_layers = nn.ModuleList(Layer(config) for _ in range(config.depth))
        self.band_layers = nn.ModuleList(Layer(config) for _ in range(config.depth))
        self.norm = nn.LayerNorm(config.width)
        cosine, sine = rotary_table(LONGEST_FRAMES, config.width // config.heads)
        self.register_buffer("cosine", cosine, persistent=False)
        self.register_buffer("sine", sine, persistent=False)
        self.register_buffer("one", torch.tensor([1.0, 0.0, 1.0, 0.0]).reshape(1, 1, 4, 1, 1), persistent=False)

    def features(self, middle_side):
        """Scaled to the level of a mixture with RMS 1 (Σ Hann² = 768), then compressed to about |X|^0.3."""
        n = middle_side.shape[0]
        power = middle_side.square().mean((1, 2, 3), keepdim=True) * 2
        scaled = middle_side * torch.rsqrt(power / 768 + 1e-10)
        re_im = scaled.reshape(n, 2, 2, *scaled.shape[-2:])
        size = re_im.square().sum(2, keepdim=True)
        return (re_im * torch.exp(-0.35 * torch.log(size + 1e-4))).reshape(scaled.shape)

    def forward(self, spectrum):
        """[n, 4, frames, bins] (left re, left im, right re, right im) → [n, stems, 4, frames, bins]."""
        n, _, frames, _ = spectrum.shape
        left, right = spectrum[:, :2], spectrum[:, 2:]
        middle_side = torch.cat([left + right, left - right], 1) * math.sqrt(0.5)
        features = functional.pad(self.features(middle_side), (0, self.config.padded_bins - BINS))
        x = self.tokens(features)
        bands, width = self.config.band_count, self.config.width
        cosine, sine = self.cosine, self.sine
        for over_time, over_bands in zip(self.time_layers, self.band_layers):
            x = x.transpose(1, 2).reshape(-1, frames, width)
            x = over_time(x, cosine[:frames], sine[:frames])
            x = x.reshape(n, bands, -1, width).transpose(1, 2).reshape(-1, bands, width)
            x = over_bands(x, cosine[:bands], sine[:bands])
            x = x.reshape(n, -1, bands, width)
        return self.apply_masks(self.masks(self.norm(x))[..., :BINS].float(), middle_side)

    def apply_masks(self, masks, middle_side):
        """Complex masks per stem, for mid and side. What they lack to a sum of 1 is distributed: the stems sum to the mix."""
        n, _, frames, bins = middle_side.shape
        stems = self.config.stems
        masks = masks.reshape(n, stems, 4, -1, bins)
        masks = masks + (self.one - masks.sum(1, keepdim=True)) / stems
        x = middle_side.unsqueeze(1)
        out = []
        for at in (0, 2):
            re, im = masks[:, :, at], masks[:, :, at + 1]
            out += [re * x[:, :, at] - im * x[:, :, at + 1], re * x[:, :, at + 1] + im * x[:, :, at]]
        middle, side = torch.stack(out[:2], 2), torch.stack(out[2:], 2)
        return torch.cat([middle + side, middle - side], 2) * math.sqrt(0.5)
