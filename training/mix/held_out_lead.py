"""The held-out set for lead vocals: 60 mixtures of 10 s, 48 of held-out voices or songs with backing, 12 of a lead alone; the same on every machine.

    python3 -m training.mix.held_out_lead --packs FOLDER --save held-out.npy       float32 [60, 2, 2, frames]: lead, backing
"""

import argparse
from pathlib import Path

import numpy

from training.mix.held_out import FRAMES, load_reels, loudness, panned
from training.mix.lead_vocals import KINDS, TRACKS

COUNT, ALONE = 60, 12
SEED = 20261121


def draw_window(reel, tracks, dice):
    """[tracks, 2, FRAMES] of the same seconds; backing sings in them."""
    length = len(reel) // tracks
    for _ in range(20):
        start = dice.randint(max(1, length - FRAMES))
        window = numpy.zeros((tracks, 2, FRAMES))
        for track in range(tracks):
            piece = reel[track * length + start : track * length + min(length, start + FRAMES)].T / 32768.0
            window[track, :, : piece.shape[1]] = piece
        if loudness(window[0]) > -45 and loudness(window[1:].sum(0)) > -45:
            break
    return window


def make_mixture(reels, number):
    """The last twelve are a lead alone; every fifth is a real pair, every sixth has everything in the centre."""
    dice = numpy.random.RandomState(SEED + number)
    if number % 5 == 0 and reels.get("pair"):
        lead, backing = draw_window(reels["pair"][dice.randint(len(reels["pair"]))], 2, dice)
    else:
        tracks = draw_window(reels["ensemble"][dice.randint(len(reels["ensemble"]))], TRACKS, dice)
        lead, backing = panned(tracks[0], dice, 0.15), numpy.zeros((2, FRAMES))
        for kind in dice.permutation(len(KINDS))[: dice.randint(1, len(KINDS) + 1)]:
            backing += sum(panned(tracks[member], dice, 0.9) for member in KINDS[kind])
    lead *= 10 ** ((-20 - loudness(lead)) / 20)
    backing *= 10 ** ((-20 - dice.uniform(2, 15) - loudness(backing)) / 20) if number < COUNT - ALONE else 0
    stems = numpy.stack([lead, backing])
    if number % 6 == 0:
        stems = numpy.repeat(stems.mean(1, keepdims=True), 2, axis=1)
    return (stems * min(1.0, 0.95 / numpy.abs(stems.sum(0)).max())).astype(numpy.float32)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packs", required=True)
    parser.add_argument("--save", type=Path, required=True)
    options = parser.parse_args()
    reels = load_reels(options.packs)
    part = options.save.with_suffix(".part.npy")
    numpy.save(part, numpy.stack([make_mixture(reels, number) for number in range(COUNT)]))
    part.rename(options.save)


if __name__ == "__main__":
    main()
