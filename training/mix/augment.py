"""Augmentation between the microphone and the mix: filters in the frequency domain, position, presence, level.

Everything maps [count, 2, frames] to the same shape on any device, and is linear where stems must keep their sum.
"""

import functools
import math

import numpy
import torch

from training.mix.k_weighting import k_curve

RATE_HZ = 44100


def uniform(count, low, high, device):
    return low + (high - low) * torch.rand(count, device=device)


def chance(count, probability, device):
    return torch.rand(count, device=device) < probability


def make_rooms(count, device, seed=1):
    """Impulse responses [count, 2, 1 s]: a direct path and decaying noise, darker with time, different left and right."""
    generator = torch.Generator().manual_seed(seed)
    frames = RATE_HZ
    time_s = torch.arange(frames) / RATE_HZ
    rt60_s = 0.12 * (10 ** torch.rand(count, 1, 1, generator=generator))
    noise = torch.randn(count, 2, frames, generator=generator)
    dark = torch.nn.functional.avg_pool1d(noise, 9, 1, 4)
    blend = (time_s / rt60_s * 2).clamp(0, 1)
    tail = (noise * (1 - blend) + 2.5 * dark * blend) * 10 ** (-3 * time_s / rt60_s)
    delay = (0.002 + 0.02 * torch.rand(count, 1, 1, generator=generator)) * RATE_HZ
    tail = tail * (torch.arange(frames) > delay)
    tail = tail / tail.square().sum(-1, keepdim=True).mean(1, keepdim=True).sqrt()
    wet = 10 ** ((-16 + 16 * torch.rand(count, 1, 1, generator=generator)) / 20)
    room = tail * wet
    room[..., 0] += 1.0
    return (room / (1 + wet.square()).sqrt()).to(device)


def equalizer_curves(count, bins, device, spread_db):
    """Smooth random gain curves over a log frequency axis: a tilt and six bumps, as amplitude factors [count, 1, bins]."""
    frequency = torch.linspace(0, RATE_HZ / 2, bins, device=device).clamp(min=20)
    octave = torch.log2(frequency / 1000)
    gain_db = torch.randn(count, 1, device=device) * (spread_db / 4) * octave.clamp(-4, 4)
    for _ in range(4):
        centre = uniform(count, -4.5, 4.2, device)[:, None]
        width = uniform(count, 0.4, 1.6, device)[:, None]
        height = torch.randn(count, 1, device=device) * spread_db
        gain_db = gain_db + height * torch.exp(-(((octave - centre) / width) ** 2))
    return 10 ** (gain_db.clamp(-18, 12) / 20)[:, None]


def low_pass_curves(cutoff_hz, bins):
    frequency = torch.linspace(0, RATE_HZ / 2, bins, device=cutoff_hz.device)
    return torch.sigmoid((cutoff_hz[:, None] - frequency) / (0.02 * cutoff_hz[:, None]))[:, None]


def fast_length(least):
    """The smallest 2^a·3^b·5^c that is at least `least`: a power of two would be up to twice as long."""
    lengths = [2**a * 3**b * 5**c for a in range(4, 21) for b in range(6) for c in range(4)]
    return min(length for length in lengths if length >= least)


def mastering_curves(count, device):
    """Filters for a whole mixture: a gentle tilt, on some a low cut (as if the bass was removed) or the band limit of a codec.
    A function of the number of bins, so that it works with every transform size."""
    tilt_db = torch.randn(count, 1, device=device)
    low_hz = torch.where(chance(count, 0.5, device), uniform(count, 30, 180, device), torch.zeros(count, device=device))[:, None]
    high_hz = torch.where(chance(count, 0.35, device), uniform(count, 9000, 19000, device), torch.full((count,), 1e6, device=device))

    def curves(bins):
        frequency = torch.linspace(0, RATE_HZ / 2, bins, device=device)
        low_cut = frequency**2 / (frequency**2 + low_hz**2 + 1e-3)
        tilt = 10 ** (tilt_db * torch.log2(frequency.clamp(min=20) / 1000) / 20)
        return (low_cut * tilt)[:, None] * low_pass_curves(high_hz, bins)

    return curves


def bass_curves(count, probability, device):
    """A low shelf of 6 to 18 dB below 25 to 90 Hz on some of the sounds; a function of the number of bins, like `mastering_curves`."""
    gain = 10 ** (uniform(count, 6, 18, device) / 20) - 1
    gain = (gain * chance(count, probability, device))[:, None]
    corner_hz = uniform(count, 25, 90, device)[:, None]

    def curves(bins):
        frequency = torch.linspace(0, RATE_HZ / 2, bins, device=device)
        return (1 + gain / (1 + (frequency / corner_hz) ** 4))[:, None]

    return curves


def tube_curves(count, probability, device):
    """A tube resonance on some of the sounds: a pitch of 50 to 800 Hz and its harmonics stand out, less so upwards; a function like `bass_curves`."""
    pitch_hz = (50 * 16 ** torch.rand(count, device=device))[:, None]
    strength = (uniform(count, 0.8, 0.985, device) * chance(count, probability, device))[:, None]
    dull_hz = (1000 * 10 ** torch.rand(count, device=device))[:, None]

    def curves(bins):
        frequency = torch.linspace(0, RATE_HZ / 2, bins, device=device)
        echo = strength * torch.exp(-frequency / dull_hz)
        return ((1 - echo) * (1 - 2 * echo * torch.cos(2 * math.pi * frequency / pitch_hz) + echo.square()).rsqrt())[:, None]

    return curves


def compress(sound, strength, block=1024):
    """Compresses the dynamics (0 leaves them, 1 makes the level constant, below 0 expands); keeps the level roughly."""
    envelope = torch.nn.functional.avg_pool1d(sound.abs().mean(1, keepdim=True), 2 * block, block, block // 2, ceil_mode=True)
    envelope = envelope / envelope.amax(-1, keepdim=True).clamp(min=1e-5)
    gain = envelope.clamp(min=0.02) ** -strength[:, None, None]
    return sound * torch.nn.functional.interpolate(gain, sound.shape[-1], mode="linear", align_corners=True)


def colour(sound, rooms, room_chance, equalizer_db, curves=None):
    """An equalizer on every sound and a room on some, in one transform; `curves` adds factors for a number of bins."""
    count, _, frames = sound.shape
    length = fast_length(frames + RATE_HZ)
    spectrum = torch.fft.rfft(sound, length)
    spectrum = spectrum * equalizer_curves(count, spectrum.shape[-1], sound.device, equalizer_db)
    if curves:
        spectrum = spectrum * curves(spectrum.shape[-1])
    room = rooms[torch.randint(len(rooms), (count,), device=sound.device)]
    dry = ~chance(count, room_chance, sound.device)[:, None, None]
    spectrum = spectrum * torch.where(dry, torch.ones((), device=sound.device, dtype=torch.complex64), torch.fft.rfft(room, length))
    return torch.fft.irfft(spectrum, length)[..., :frames]


def extend_band(sound, is_full_band):
    """Gives band-limited speech a synthetic top by shifting its 4 to 11 kHz up, so that the network does not learn 'high means not dialogue'."""
    count, _, frames = sound.shape
    shift_hz = uniform(count, 6500, 7500, sound.device)[:, None, None]
    time_s = torch.arange(frames, device=sound.device) / RATE_HZ
    shifted = sound * torch.cos(2 * math.pi * shift_hz * time_s)
    length = fast_length(frames)
    spectrum = torch.fft.rfft(shifted, length)
    frequency = torch.linspace(0, RATE_HZ / 2, spectrum.shape[-1], device=sound.device)
    high = torch.sigmoid((frequency - 11500) / 200) * torch.sigmoid((18500 - frequency) / 300)
    top = torch.fft.irfft(spectrum * high, length)[..., :frames]
    gain = 10 ** (uniform(count, -14, 2, sound.device) / 20)
    wanted = (~is_full_band) & chance(count, 0.6, sound.device)
    return sound + top * (gain * wanted)[:, None, None]


def pan(sound, width):
    """Equal-power panning within ±width (0 = centre) for every sound; swaps sides half of the time."""
    angle = (uniform(len(sound), -1, 1, sound.device) * width + 1) * math.pi / 4
    gains = torch.stack([torch.cos(angle), torch.sin(angle)], 1) * math.sqrt(2)
    swap = chance(len(sound), 0.5, sound.device)[:, None, None]
    return torch.where(swap, sound.flip(1), sound) * gains[:, :, None]


def narrow(sound, probability):
    """Makes some sounds mono."""
    mono = chance(len(sound), probability, sound.device)[:, None, None]
    return torch.where(mono, sound.mean(1, keepdim=True).expand_as(sound), sound)


def presence(count, frames, device, silent_chance, part_chance):
    """Envelopes [count, 1, frames]: mostly 1, sometimes 0, sometimes only part of the window with soft ends."""
    time = torch.linspace(0, 1, frames, device=device)
    start = uniform(count, -0.3, 0.7, device)[:, None]
    length = uniform(count, 0.25, 0.9, device)[:, None]
    fade = 10 ** uniform(count, -2.5, -0.8, device)[:, None]
    part = ((time - start) / fade).clamp(0, 1) * ((start + length - time) / fade).clamp(0, 1)
    part = torch.where(chance(count, part_chance, device)[:, None], part, torch.ones_like(part))
    return (part * ~chance(count, silent_chance, device)[:, None])[:, None]


def active_level(sound, block=8820):
    """RMS [count, 1, 1] of the 0.2 s blocks within 15 dB of the mean power."""
    count, _, frames = sound.shape
    whole = frames // block * block
    power = sound[..., :whole].reshape(count, 2, -1, block).square().mean((1, 3))
    active = power > power.mean(1, keepdim=True) * 10**-1.5
    mean = (power * active).sum(1) / active.sum(1).clamp(min=1)
    return mean.sqrt()[:, None, None]


def set_level(sound, level_db):
    """Sets the active level to `level_db` [count]; silence stays silent."""
    gain = 10 ** (level_db / 20)[:, None, None] / active_level(sound).clamp(min=1e-4)
    return sound * gain


LEAST_HEARD = 0.2
"""14 dB: the maximum boost of a sound that is nearly all deep bass."""


@functools.lru_cache
def k_weights(length, device):
    """The K-weighting of each bin's power for a transform of that length."""
    curve = k_curve(numpy.fft.rfftfreq(length, 1 / RATE_HZ)) ** 2
    return torch.from_numpy(curve).float().to(device)


def heard_share(sound):
    """The amplitude left after K-weighting [count, 1, 1]: about 1 for speech, little for deep bass."""
    length = fast_length(sound.shape[-1])
    power = torch.fft.rfft(sound, length).abs().square().sum(1)
    return ((power * k_weights(length, sound.device)).sum(-1) / power.sum(-1).clamp(min=1e-9)).sqrt()[:, None, None]


def set_loudness(sound, loudness_db):
    """Like `set_level`, by loudness: at equal loudness, deep bass has more energy than speech."""
    return set_level(sound, loudness_db) / heard_share(sound).clamp(min=LEAST_HEARD)
