"""The held-out set of the music analyser: songs and instruments that training never uses, rendered once.

    python3 -m training.mix.held_out_analysis --packs POOL --save held-out.npz [--count 96]
"""

import argparse
import random
from pathlib import Path

import numpy
import torch

from training.mix.arrangement import RATE_HZ, SECONDS, Arranger
from training.mix.example_source import AnalysisPools, to_targets
from training.mix.render_mono import mix_buses, render_mono
from training.networks.music_analyser import Features


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--packs", type=Path, required=True)
    parser.add_argument("--save", type=Path, required=True)
    parser.add_argument("--count", type=int, default=96)
    options = parser.parse_args()
    torch.manual_seed(5)
    random.seed(5)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    pools = AnalysisPools(options.packs, device, [])
    pools.load("held-out")
    arranger, samples, features = Arranger(pools.songs, pools.bank, numpy.random.RandomState(5)), torch.from_numpy(pools.bank.samples).to(device), Features().to(device)
    rows = []
    for at in range(0, options.count, 8):
        examples = [arranger.draw() for _ in range(min(8, options.count - at))]
        with torch.no_grad():
            sound = mix_buses(render_mono(samples, [one.notes for one in examples], SECONDS * RATE_HZ))
            beats, chords = features(sound)
        targets = {name: value.cpu().numpy() for name, value in to_targets(examples, "cpu").items()}
        rows.append({"beats": beats.half().cpu().numpy(), "chords": chords.half().cpu().numpy(), **{f"target.{name}": value for name, value in targets.items()}})
    table = {name: numpy.concatenate([row[name] for row in rows]) for name in rows[0]}
    with options.save.with_suffix(".part").open("wb") as file:
        numpy.savez(file, **table)
    options.save.with_suffix(".part").rename(options.save)


if __name__ == "__main__":
    main()
