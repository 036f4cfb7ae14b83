"""The held-out set: 120 mixtures of 10 s of dialogue, music and effects, the same on every machine.

Divide-and-Remaster's levels: dialogue −17 LUFS, music −24, foreground effects −21, ambience −29, each ±2 (uniform).
Speakers, tracks and sounds are those the data list keeps out of training. Made with NumPy from one seed.

    python3 -m training.mix.held_out --packs FOLDER --out FOLDER              writes dialogue, music, effects and mix as WAV
    python3 -m training.mix.held_out --packs FOLDER --save held-out.npy       keeps the whole set as one array
"""

import argparse
import json
import multiprocessing
import os
from pathlib import Path

import numpy

from training.mix.k_weighting import k_curve

RATE_HZ = 44100
SECONDS = 10
FRAMES = RATE_HZ * SECONDS
COUNT = 120
SEED = 20261115
STEMS = ("dialogue", "music", "effects")


def load_reels(folder):
    """Held-out reels by role, as int16 [frames, 2] each, sorted by name: the set is the same however they were packed."""
    roles = {}
    for ready in sorted(Path(folder).glob("*/ready")):
        for key, reels in json.loads((ready.parent / "reels.json").read_text()).items():
            role, split = key.split(".")
            if split != "held-out":
                continue
            ends = numpy.cumsum([reel["frames"] for reel in reels])
            pieces = numpy.split(numpy.load(ready.parent / f"{key}.npy"), ends[:-1])
            roles.setdefault(role, {}).update({(reel["source"], reel["reel"]): piece for reel, piece in zip(reels, pieces)})
    return {role: [found[name] for name in sorted(found)] for role, found in roles.items()}


def k_weight(sound):
    curve = k_curve(numpy.fft.rfftfreq(sound.shape[-1], 1 / RATE_HZ))
    return numpy.fft.irfft(numpy.fft.rfft(sound) * curve, sound.shape[-1])


def loudness(sound):
    """Gated loudness in LUFS of [2, frames]."""
    weighted = k_weight(sound)
    block = int(0.4 * RATE_HZ)
    whole = weighted.shape[-1] // block * block
    power = (weighted[:, :whole].reshape(2, -1, block) ** 2).mean(-1).sum(0)
    power = power[power > 10 ** ((-70 + 0.691) / 10)]
    power = power[power > power.mean() / 10] if len(power) else power
    return -0.691 + 10 * numpy.log10(power.mean()) if len(power) else -99.0


def draw_window(reels, frames, dice):
    while True:
        reel = reels[dice.randint(len(reels))]
        start = dice.randint(max(1, len(reel) - frames))
        window = numpy.zeros((2, frames))
        piece = reel[start : start + frames].T / 32768.0
        window[:, : piece.shape[1]] = piece
        if loudness(window) > -50:
            return window


def at_loudness(sound, target, dice):
    return sound * 10 ** ((target + dice.uniform(-2, 2) - loudness(sound)) / 20)


def place(sound, start, total, fade=2205):
    fade = min(fade, sound.shape[1] // 2)
    ramp = numpy.linspace(0, 1, fade)
    sound = sound.copy()
    sound[:, :fade] *= ramp
    sound[:, -fade:] *= ramp[::-1]
    placed = numpy.zeros((2, total))
    end = min(total, start + sound.shape[1])
    placed[:, start:end] = sound[:, : end - start]
    return placed


def panned(sound, dice, width):
    angle = (dice.uniform(-width, width) + 1) * numpy.pi / 4
    return sound * numpy.sqrt(2) * numpy.array([[numpy.cos(angle)], [numpy.sin(angle)]])


def part_of_window(dice, shortest_s):
    seconds = SECONDS if dice.uniform() < 0.7 else dice.uniform(shortest_s, SECONDS)
    frames = int(seconds * RATE_HZ)
    return dice.randint(FRAMES - frames + 1), frames


def make_mixture(reels, dice):
    start, frames = part_of_window(dice, 6)
    dialogue = place(draw_window(reels["dialogue"], frames, dice), start, FRAMES)
    if dice.uniform() < 0.25:
        frames = int(dice.uniform(2, 4) * RATE_HZ)
        dialogue += place(draw_window(reels["dialogue"], frames, dice), dice.randint(FRAMES - frames), FRAMES)
    start, frames = part_of_window(dice, 5)
    music = place(draw_window(reels["music"], frames, dice), start, FRAMES)
    effects = numpy.zeros((2, FRAMES))
    for _ in range(dice.randint(1, 5)):
        frames = int(dice.uniform(1.5, 6) * RATE_HZ)
        event = panned(draw_window(reels["effects"], frames, dice), dice, 0.7)
        effects += place(at_loudness(event, -21, dice), dice.randint(FRAMES - frames), FRAMES)
    if dice.uniform() < 0.6:
        effects += at_loudness(place(draw_window(reels["ambience"], FRAMES, dice), 0, FRAMES), -29, dice)
    stems = [at_loudness(dialogue, -17, dice), at_loudness(music, -24, dice), at_loudness(effects, -21, dice)]
    stems = numpy.stack(stems)
    if dice.uniform() < 0.25:
        stems = numpy.repeat(stems.mean(1, keepdims=True), 2, axis=1)
    peak = numpy.abs(stems.sum(0)).max()
    return (stems * min(1.0, 0.95 / peak)).astype(numpy.float32)


_reels = {}


def _make_numbered(number):
    return make_mixture(_reels, numpy.random.RandomState(SEED + number))


def make_held_out(folder, count=COUNT):
    """float32 [count, 3, 2, frames]; the mixture is the sum over stems. Forks processes: don't call it in one that uses the GPU."""
    _reels.update(load_reels(folder))
    with multiprocessing.get_context("fork").Pool(min(16, os.cpu_count() or 1)) as pool:
        return numpy.stack(pool.map(_make_numbered, range(count), chunksize=1))


def write_files(mixtures, folder):
    import soundfile

    for number, stems in enumerate(mixtures):
        (folder / f"{number:03d}").mkdir(parents=True, exist_ok=True)
        for name, sound in zip((*STEMS, "mix"), (*stems, stems.sum(0))):
            soundfile.write(folder / f"{number:03d}" / f"{name}.wav", sound.T, RATE_HZ, subtype="FLOAT")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packs", required=True)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--save", type=Path)
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args()
    mixtures = make_held_out(options.packs, options.count)
    if options.out:
        write_files(mixtures, options.out)
    if options.save:
        part = options.save.with_suffix(".part.npy")
        numpy.save(part, mixtures)
        part.rename(options.save)


if __name__ == "__main__":
    main()
