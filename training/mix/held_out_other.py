"""The held-out set of the splitter: songs kept out of training, played on instruments kept out of training, the same every time.

    python3 -m training.mix.held_out_other --packs FOLDER --save held-out.npy [--count 80]

float16 [count, 7, 2, frames]; the mixture is the sum over stems. An instrument that does not play has a stem of zeros.
"""

import argparse
import multiprocessing
import os
from pathlib import Path

import numpy
import torch

from training.mix import augment
from training.mix.arrange import RATE_HZ, STEMS
from training.mix.other_splitter import Songs

SECONDS = 10
COUNT = 80
SEED = 20261115
ABSENT = 0.35


def make_mixture(songs, rooms, seed):
    dice = numpy.random.RandomState(seed)
    torch.manual_seed(seed)
    while True:
        stems = songs.render(1, rooms, dice)[0]
        is_there = (augment.active_level(stems)[:, 0, 0] > 2e-3) & torch.from_numpy(dice.random_sample(len(STEMS)) >= ABSENT)
        if int(is_there.sum()) >= 2:
            break
    levels_db = torch.from_numpy(-20 + 3 * dice.standard_normal(len(STEMS))).float()
    stems = augment.set_level(stems, levels_db) * is_there[:, None, None]
    return (stems * min(1.0, 0.95 / float(stems.sum(0).abs().max()))).numpy().astype(numpy.float16)


_shared = {}


def _make_numbered(number):
    torch.set_num_threads(1)
    return make_mixture(_shared["songs"], _shared["rooms"], SEED + number)


def make_held_out(folder, count=COUNT):
    songs = Songs(folder, "cpu", "held-out", SECONDS * RATE_HZ)
    songs.bank.load_new()
    _shared.update(songs=songs, rooms=augment.make_rooms(64, "cpu", seed=2))
    with multiprocessing.get_context("fork").Pool(min(16, os.cpu_count() or 1)) as pool:
        return numpy.stack(pool.map(_make_numbered, range(count), chunksize=1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packs", required=True)
    parser.add_argument("--save", type=Path, required=True)
    parser.add_argument("--count", type=int, default=COUNT)
    options = parser.parse_args()
    part = options.save.with_suffix(".part.npy")
    numpy.save(part, make_held_out(options.packs, options.count))
    part.rename(options.save)


if __name__ == "__main__":
    main()
