"""Simulates lossy codecs: bands above a limit removed, and every band of every frame quantized, more coarsely the higher."""

import torch

from training.mix.augment import RATE_HZ, chance, uniform
from training.networks.overlap import overlap_add

WINDOW, HOP, BANDS = 2048, 512, 24


def make_bands(device, rate_hz):
    """The band of each bin, out of 24 equally wide ones on a Bark-like scale."""
    frequency = torch.linspace(0, rate_hz / 2, WINDOW // 2 + 1, device=device)
    bark = 6 * torch.asinh(frequency / 600)
    return (bark / bark[-1] * BANDS).long().clamp(max=BANDS - 1)


def code(sound, rate_hz=RATE_HZ):
    """[count, channels, frames], each at a different quality: from almost transparent to about 64 kbit/s."""
    count, channels, frames = sound.shape
    device = sound.device
    window = torch.hann_window(WINDOW, device=device)
    spectrum = torch.stft(sound.reshape(-1, frames), WINDOW, HOP, window=window, return_complex=True)
    band_of = make_bands(device, rate_hz)
    is_member = torch.nn.functional.one_hot(band_of, BANDS).float()
    power = spectrum.abs().square().transpose(1, 2) @ (is_member / is_member.sum(0).clamp(min=1))
    coarseness = torch.linspace(-18, 0, BANDS, device=device) + uniform(count, -12, 9, device)[:, None]
    step = (power.sqrt() * 10 ** (coarseness / 20).repeat_interleave(channels, 0)[:, None])[..., band_of].transpose(1, 2).clamp(min=1e-6)
    rounded = torch.complex(torch.round(spectrum.real / step) * step, torch.round(spectrum.imag / step) * step)
    frequency = torch.linspace(0, rate_hz / 2, WINDOW // 2 + 1, device=device)
    is_kept = frequency < uniform(count, 9000, 20000, device).repeat_interleave(channels)[:, None]
    return overlap_add((rounded * is_kept[..., None]).transpose(1, 2), window, HOP, frames).reshape(sound.shape)


def through_codec(sound, probability, rate_hz=RATE_HZ):
    """Applies a codec to some of the sounds [count, channels, frames]. The choice is made on the CPU: asking the device how many would wait for it."""
    chosen = chance(len(sound), probability, "cpu").nonzero()[:, 0].to(sound.device, non_blocking=True)
    if len(chosen) == 0:
        return sound
    return sound.index_copy(0, chosen, code(sound[chosen], rate_hz))
