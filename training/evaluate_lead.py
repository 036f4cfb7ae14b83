"""Scores a network for lead vocals on its held-out set.

    python3 -m training.evaluate_lead --held-out held-out.npy --weights average.pt [--out scores.json]

`lead_gain` is the SI-SDR that the lead gains over the whole vocals, in dB. For a lead alone, `lead_change` is the error of the lead and `backing_level` the
level of the backing, both in dB of the input.
"""

import argparse
import json
from pathlib import Path

import numpy
import torch

from training.evaluate import load_runner, separate
from training.losses.scores import sdr, si_sdr


@torch.no_grad()
def score(run, stems, batch=12):
    gains, changes, levels = [], [], []
    for truth in stems.split(batch):
        mixture = truth.sum(1)
        estimate = separate(run, mixture)
        is_backed = truth[:, 1].square().sum((-1, -2)) > 0
        gains.append((si_sdr(estimate[:, 0], truth[:, 0]) - si_sdr(mixture, truth[:, 0]))[is_backed])
        changes.append(-sdr(estimate[:, 0], mixture)[~is_backed])
        levels.append(-sdr(mixture - estimate[:, 1], mixture)[~is_backed])
    mean = lambda values: round(float(torch.cat(values).mean()), 2)
    below = round(float((torch.cat(gains) < 3).float().mean()), 3)
    return {"lead_gain": mean(gains), "below_3_db": below, "lead_change": mean(changes), "backing_level": mean(levels)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--held-out", required=True)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() and not options.weights.endswith(".onnx") else "cpu"
    text = json.dumps(score(load_runner(options.weights, device), torch.from_numpy(numpy.load(options.held_out)).to(device)), indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
