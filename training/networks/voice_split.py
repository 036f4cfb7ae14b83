"""The band-split attention network for mono speech, with three outputs that sum to the input: at 16 kHz two voices at once and a residual, at 48 kHz
dry speech, what the room adds to it, and noise.

Layers, bands and masks are those of `band_split.py`. New are depthwise taps before each layer: what lies next to a token is heard without attention.
"""

from dataclasses import asdict, dataclass

import torch
from torch import nn
from torch.nn import functional

from training.networks.band_split import Bands, BandTable, Layer, rotary_table
from training.networks.voice_stft import HOP, RATE_HZ, WINDOW


@dataclass(frozen=True)
class VoiceSplitConfig(BandTable):
    kind: str = "voice-split"
    stems: int = 3
    width: int = 128
    depth: int = 8
    heads: int = 4
    feed_forward: int = 384
    mask_hidden: int = 128
    time_taps: int = 5
    band_taps: int = 3
    # (bands, bins per band); 25 Hz per bin. Three bins more than the spectrum has are zero padding.
    bands: tuple = ((16, 3), (10, 6), (8, 12), (4, 30))
    rate_hz: int = RATE_HZ
    window: int = WINDOW
    hop: int = HOP

    @property
    def parts(self):
        return 2

    @property
    def bins(self):
        return self.window // 2 + 1

    to_dict = asdict


LONGEST_FRAMES = 1208
"""12 s at 16 kHz, 25 s at 48 kHz: the longest window the position table supports."""


class Taps(nn.Module):
    """A depthwise convolution along one axis with a residual connection, for [rows, length, width]; zero at first. Shifts need no transposes."""

    def __init__(self, width, taps):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(taps, width))

    def forward(self, x):
        taps, length = len(self.weight), x.shape[1]
        wide = functional.pad(x, (0, 0, taps // 2, taps // 2))
        for at in range(taps):
            x = x + wide[:, at : at + length] * self.weight[at].to(x.dtype)
        return x


class VoiceSplit(Bands):
    def __init__(self, config=VoiceSplitConfig()):
        super().__init__(config)
        self.config = config
        self.time_taps = nn.ModuleList(Taps(config.width, config.time_taps) for _ in range(config.depth))
        self.band_taps = nn.ModuleList(Taps(config.width, config.band_taps) for _ in range(config.depth))
        self.time_layers = nn.ModuleList(Layer(config) for _ in range(config.depth))
        self.band_layers = nn.ModuleList(Layer(config) for _ in range(config.depth))
        self.norm = nn.LayerNorm(config.width)
        cosine, sine = rotary_table(LONGEST_FRAMES, config.width // config.heads)
        self.register_buffer("cosine", cosine, persistent=False)
        self.register_buffer("sine", sine, persistent=False)
        self.register_buffer("one", torch.tensor([1.0, 0.0]).reshape(1, 1, 2, 1, 1), persistent=False)

    def features(self, spectrum):
        """Scaled to the level of a mixture with RMS 1 (Σ Hann² is three eighths of the window), then compressed to about |X|^0.3."""
        power = spectrum.square().mean((1, 2, 3), keepdim=True) * 2
        scaled = spectrum * torch.rsqrt(power / (0.375 * self.config.window) + 1e-10)
        size = scaled.square().sum(1, keepdim=True)
        return scaled * torch.exp(-0.35 * torch.log(size + 1e-4))

    def forward(self, spectrum):
        """[n, 2, frames, bins] (re, im) → [n, stems, 2, frames, bins]."""
        n, _, frames, _ = spectrum.shape
        bands, width = self.config.band_count, self.config.width
        x = self.tokens(functional.pad(self.features(spectrum), (0, self.config.padded_bins - self.config.bins)))
        cosine, sine = self.cosine, self.sine
        for near_time, over_time, near_bands, over_bands in zip(self.time_taps, self.time_layers, self.band_taps, self.band_layers):
            x = x.transpose(1, 2).reshape(-1, frames, width)
            x = over_time(near_time(x), cosine[:frames], sine[:frames])
            x = x.reshape(n, bands, -1, width).transpose(1, 2).reshape(-1, bands, width)
            x = over_bands(near_bands(x), cosine[:bands], sine[:bands])
            x = x.reshape(n, -1, bands, width)
        return self.apply_masks(self.masks(self.norm(x))[..., : self.config.bins].float(), spectrum)

    def apply_masks(self, masks, spectrum):
        """Complex masks. What they lack to a sum of 1 is distributed: the outputs sum to the input."""
        n, _, _, bins = spectrum.shape
        stems = self.config.stems
        masks = masks.reshape(n, stems, 2, -1, bins)
        masks = masks + (self.one - masks.sum(1, keepdim=True)) / stems
        re, im = masks[:, :, 0], masks[:, :, 1]
        x, y = spectrum[:, None, 0], spectrum[:, None, 1]
        return torch.stack([re * x - im * y, re * y + im * x], 2)
