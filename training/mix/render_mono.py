"""Renders tables of notes of `arrangement` on the GPU: recorded notes resampled to pitch, in three buses per example, then mixed with effects."""

import math

import numpy
import torch

RATE_HZ = 22050
BLOCK = 1024
BLOCKS_AT_ONCE = 16384
BUSES = 3
LOOP = (0.4, 0.85)
"""The part of a sustained note that is played forwards and backwards while it lasts."""


def block_table(notes, frames):
    """Note and block indices of the blocks that sound within the window."""
    sounding = notes["held"].astype(numpy.int64) + notes["release"]
    sounding = numpy.where(notes["loops"] > 0, sounding, numpy.minimum(sounding, notes["frames"] / notes["ratio"]))
    last = numpy.minimum(sounding, frames - notes["onset"])
    counts = numpy.ceil(numpy.maximum(last, 0) / BLOCK).astype(numpy.int64)
    note = numpy.repeat(numpy.arange(len(notes)), counts)
    block = numpy.arange(len(note)) - numpy.repeat(numpy.cumsum(counts) - counts, counts)
    is_in_time = notes["onset"][note] + (block + 1) * BLOCK > 0
    return note[is_in_time], block[is_in_time]


def render_mono(samples, tables, frames):
    """samples int16 [n]; a table of notes for each example → float32 [examples, BUSES, frames]."""
    device, count = samples.device, len(tables)
    out = torch.zeros(count * BUSES * frames, device=device)
    notes = numpy.concatenate(tables)
    if not len(notes):
        return out.reshape(count, BUSES, frames)
    row = numpy.repeat(numpy.arange(count), [len(table) for table in tables]) * BUSES + notes["bus"]
    note, block = block_table(notes, frames)
    position = block.astype(numpy.float64) * BLOCK * notes["ratio"][note]
    first, width = LOOP[0] * notes["frames"][note], (LOOP[1] - LOOP[0]) * notes["frames"][note]
    folds = (notes["loops"][note] > 0) & (position > first)
    position = numpy.where(folds, first + (position - first) % (2 * width), position)
    send = lambda values, kind: torch.from_numpy(numpy.ascontiguousarray(values)).to(device=device, dtype=kind, non_blocking=True)
    whole = {"target": row[note] * frames, "onset": notes["onset"][note] + block * BLOCK, "start": notes["start"][note], "frames": notes["frames"][note]}
    real = {name: notes[name][note] for name in ("ratio", "gain", "swing", "swing_rate", "held", "attack", "release")}
    real |= {"position": position, "time": block * BLOCK, "first": numpy.where(notes["loops"][note] > 0, first, 1e9), "width": width}
    whole = {name: send(values, torch.int64) for name, values in whole.items()}
    real = {name: send(values, torch.float32) for name, values in real.items()}
    step = torch.arange(BLOCK, device=device)
    for at in range(0, len(note), BLOCKS_AT_ONCE):
        n = {name: values[at : at + BLOCKS_AT_ONCE, None] for name, values in whole.items()}
        r = {name: values[at : at + BLOCKS_AT_ONCE, None] for name, values in real.items()}
        add_blocks(out, samples, n, r, step, frames)
    return out.reshape(count, BUSES, frames)


def add_blocks(out, samples, n, r, step, frames):
    time = r["time"] + step
    place = r["position"] + step * r["ratio"] + r["swing"] * torch.sin(r["swing_rate"] * time)
    beyond = place - r["first"]
    folded = r["first"] + r["width"] - (torch.remainder(beyond, 2 * r["width"]) - r["width"]).abs()
    place = torch.where(beyond > 0, folded, place).clamp(min=0)
    low = place.floor()
    share, low = place - low, low.long()
    is_inside = low < n["frames"] - 1
    index = (n["start"] + low).clamp(max=len(samples) - 2)
    left, right = samples[index].float(), samples[index + 1].float()
    envelope = ((time + 1) / r["attack"]).clamp(max=1) * ((r["held"] + r["release"] - time) / r["release"]).clamp(0, 1).square() * r["gain"]
    moment = n["onset"] + step
    is_inside &= (moment >= 0) & (moment < frames)
    sound = (left + (right - left) * share) * envelope * is_inside / 32768
    out.index_add_(0, (n["target"] + moment.clamp(0, frames - 1)).reshape(-1), sound.reshape(-1))


def uniform(shape, low, high, device):
    return low + (high - low) * torch.rand(shape, device=device)


def chance(shape, probability, device):
    return torch.rand(shape, device=device) < probability


def fast_length(frames):
    return next(length for length in range(frames, 2 * frames) if all(length % factor == 0 for factor in (2**6,)) and is_smooth(length))


def is_smooth(length):
    for factor in (2, 3, 5, 7):
        while length % factor == 0:
            length //= factor
    return length == 1


def random_filters(shape, bins, device):
    """Gains [*shape, bins]: three wide bumps of up to ±9 dB, a slope, and perhaps missing lows or highs."""
    octave = torch.log2(torch.linspace(0, RATE_HZ / 2, bins, device=device).clamp(min=20) / 20)  # 0 to 9.1
    gain_db = uniform((*shape, 1), -1.0, 1.0, device) * (octave - 5)
    for _ in range(3):
        center, width, height = uniform((*shape, 1), 0.5, 9, device), uniform((*shape, 1), 0.5, 2, device), uniform((*shape, 1), -9, 9, device)
        gain_db = gain_db + height * torch.exp(-(((octave - center) / width) ** 2))
    low = torch.where(chance((*shape, 1), 0.15, device), uniform((*shape, 1), 1, 4, device), 0)
    high = torch.where(chance((*shape, 1), 0.15, device), uniform((*shape, 1), 7, 9, device), 20)
    return 10 ** (gain_db / 20) * torch.sigmoid((octave - low) * 4 + 2) * torch.sigmoid((high - octave) * 6)


def room_responses(count, length, device):
    """A direct sound and a decaying noise tail [count, length]."""
    time = torch.arange(int(RATE_HZ * 0.9), device=device) / RATE_HZ
    decay, wet = uniform((count, 1), 0.04, 0.35, device), uniform((count, 1), 0, 0.5, device) ** 2
    tail = torch.randn(count, len(time), device=device) * torch.exp(-time / decay) * (time > 0.008)
    tail = wet * tail / tail.square().sum(-1, keepdim=True).sqrt().clamp(min=1e-6)
    tail[:, 0] = 1
    return torch.nn.functional.pad(tail, (0, length - len(time)))


def level(sound):
    """RMS of what is not silence."""
    power = torch.nn.functional.avg_pool1d(sound.square()[:, None], 2205, 2205)[:, 0]
    is_on = power > 1e-3 * power.amax(-1, keepdim=True).clamp(min=1e-9)
    return ((power * is_on).sum(-1) / is_on.sum(-1).clamp(min=1)).sqrt().clamp(min=1e-5)


def mix_buses(buses):
    """[n, BUSES, frames] → [n, frames]: equalizers, rooms, levels, saturation, noise."""
    count, _, frames = buses.shape
    device, length = buses.device, fast_length(buses.shape[-1] + RATE_HZ)
    spectrum = torch.fft.rfft(buses, length)
    spectrum = spectrum * random_filters((count, BUSES), spectrum.shape[-1], device)
    rooms = torch.fft.rfft(room_responses(count, length, device), length)[:, None]
    is_dry = chance((count, BUSES, 1), 0.3, device)
    sound = torch.fft.irfft(torch.where(is_dry, spectrum, spectrum * rooms), length)[..., :frames]
    del spectrum, rooms
    gains_db = torch.randn(count, BUSES, device=device) * torch.tensor([5.0, 3.0, 4.0], device=device) + torch.tensor([0.0, 0.0, -1.0], device=device)
    sound = sound / level(sound.reshape(-1, frames)).reshape(count, BUSES, 1) * (buses.abs().amax(-1, keepdim=True) > 1e-5) * 10 ** (gains_db[..., None] / 20)
    mix = sound.sum(1)
    mix = mix / level(mix)[:, None]
    drive = torch.where(chance((count, 1), 0.5, device), uniform((count, 1), 0.2, 1.5, device), torch.full((count, 1), 0.05, device=device))
    mix = torch.tanh(mix * drive) / drive
    noise = torch.randn(count, frames, device=device)
    share = torch.rand(count, 1, device=device)
    noise = share * noise + (1 - share) * torch.nn.functional.avg_pool1d(noise[:, None], 9, 1, 4)[:, 0] * 3
    return mix / level(mix)[:, None] + noise * 10 ** (uniform((count, 1), -70, -26, device) / 20)
