"""Renders a table of notes on the GPU: resamples recorded notes to pitch, applies envelopes and sums them part by part.

Notes are cut into blocks of equal length, so that long and short ones form one dense batch without padding.
"""

import numpy
import torch

BLOCK = 2048
BLOCKS_AT_ONCE = 4096
VIBRATO_GROWS = 15000
"""Frames until vibrato reaches its full width."""


def read_cubic(samples, first, whole, t, last):
    """[n, BLOCK, 2] at positions first + whole + t; zero from `last` on."""
    index = first[:, None] + whole
    inside = whole < last[:, None] - 2
    top = len(samples) - 1
    p0, p1, p2, p3 = (samples[(index + k).clamp(0, top)].float() for k in (-1, 0, 1, 2))
    t = t[..., None]
    a = 0.5 * (3 * (p1 - p2) + p3 - p0)
    b = p0 - 2.5 * p1 + 2 * p2 - 0.5 * p3
    c = 0.5 * (p2 - p0)
    return (((a * t + b) * t + c) * t + p1) * (inside[..., None] / 32768)


def block_table(notes, frames):
    """Note and block indices of the blocks that sound within the window."""
    sounding = numpy.minimum(notes["held"] + notes["release"], notes["frames"] / notes["ratio"])
    last = numpy.minimum(sounding, frames - notes["onset"])
    counts = numpy.ceil(numpy.maximum(last, 0) / BLOCK).astype(numpy.int64)
    note = numpy.repeat(numpy.arange(len(notes)), counts)
    block = numpy.arange(len(note)) - numpy.repeat(numpy.cumsum(counts) - counts, counts)
    is_in_time = notes["onset"][note] + (block + 1) * BLOCK > 0
    return note[is_in_time], block[is_in_time]


def bend(time, r):
    """How far (in recorded frames) vibrato and slides move the read position."""
    vibrato = r["swing"] * (time / VIBRATO_GROWS).clamp(max=1).square() * torch.sin(r["swing_rate"] * time)
    return vibrato - r["slide"] * (1 - torch.exp(-r["slide_rate"] * time))


def render_notes(samples, notes, parts, frames):
    """samples int16 [n, 2] → float32 [parts, 2, frames]."""
    device = samples.device
    out = torch.zeros(parts * frames, 2, device=device)
    note, block = block_table(notes, frames)
    position = block * BLOCK * notes["ratio"][note]  # in double precision: single would lose the fraction
    whole = numpy.floor(position)
    long = {name: notes[name][note] for name in ("part", "onset", "start", "frames")}
    columns = {**long, "block": block, "first": long["start"] + whole.astype(numpy.int64), "left": long["frames"] - whole.astype(numpy.int64)}
    real = {name: notes[name][note] for name in ("ratio", "gain", "held", "attack", "release", "swing", "swing_rate", "slide", "slide_rate")}
    real["fraction"] = position - whole
    send = lambda values, kind: torch.from_numpy(numpy.ascontiguousarray(values)).to(device=device, dtype=kind, non_blocking=True)
    columns = {name: send(values, torch.int64) for name, values in columns.items()}
    real = {name: send(values, torch.float32) for name, values in real.items()}
    step = torch.arange(BLOCK, device=device)
    for at in range(0, len(note), BLOCKS_AT_ONCE):
        piece = slice(at, at + BLOCKS_AT_ONCE)
        n, r = {name: values[piece] for name, values in columns.items()}, {name: values[piece, None] for name, values in real.items()}
        time = n["block"][:, None] * BLOCK + step
        place = r["fraction"] + step * r["ratio"] + bend(time, r)
        sound = read_cubic(samples, n["first"], place.floor().long(), place - place.floor(), n["left"])
        envelope = (time / r["attack"]).clamp(max=1) * ((r["held"] + r["release"] - time) / r["release"]).clamp(0, 1).square() * r["gain"]
        moment = n["onset"][:, None] + time
        is_in_window = (moment >= 0) & (moment < frames)
        index = n["part"][:, None] * frames + moment.clamp(0, frames - 1)
        out.index_add_(0, index.reshape(-1), (sound * (envelope * is_in_window)[..., None]).reshape(-1, 2))
    return out.reshape(parts, frames, 2).transpose(1, 2)
