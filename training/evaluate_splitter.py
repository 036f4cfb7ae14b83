"""Scores the splitter of `other` on its held-out set: what each stem gains over the untouched input, how much of it is there, and how quiet absent ones are.

    python3 -m training.evaluate_splitter --held-out held-out.npy --weights average.pt|model.onnx [--out scores.json]
"""

import argparse
import json
from pathlib import Path

import numpy
import torch

from training.evaluate import load_runner, separate
from training.losses.scores import si_sdr
from training.mix.arrange import STEMS

SILENT_SHARE = 1e-6
SCORED = (*STEMS, "guitar")
"""The stems, and both guitars together."""


def with_guitar(sounds):
    """[n, 7, …] → [n, 8, …]: the stems and the sum of the guitars."""
    return torch.cat([sounds, sounds[:, :2].sum(1, keepdim=True)], 1)


def measure(estimate, truth, mixture):
    """SI-SDR, its improvement over the mixture [n, 1, 2, frames], and the level relative to it, in dB: [n, stems] each; and which stems are present,
    and which of them are not all there is (those have nothing to gain)."""
    energy = lambda sound: sound.square().sum((-1, -2))
    is_there = energy(truth) > SILENT_SHARE * energy(mixture)
    has_company = is_there & (energy(mixture - truth) > SILENT_SHARE * energy(mixture))
    reached = si_sdr(estimate, truth)
    level_db = 10 * torch.log10(energy(estimate) / energy(mixture) + 1e-10)
    return reached, reached - si_sdr(mixture.expand_as(truth), truth), level_db, is_there, has_company


@torch.autocast("cuda", enabled=False)
def shares(estimate, truth):
    """How much of each stem is in its estimate, [n, stems]: the least squares of the estimate on all true stems. SI-SDR does not see the level."""
    flat, aim = truth.float().flatten(2), estimate.float().flatten(2)
    gram = flat @ flat.transpose(1, 2)
    gram = gram + 1e-6 * torch.eye(gram.shape[1], device=gram.device) * gram.diagonal(dim1=1, dim2=2).amax(1)[:, None, None]
    return torch.linalg.solve(gram, flat @ aim.transpose(1, 2)).diagonal(dim1=1, dim2=2)


def summarize(values, chosen, of):
    return {name: round(float(of(values[:, at][chosen[:, at]])), 2) for at, name in enumerate(SCORED[: values.shape[1]]) if bool(chosen[:, at].any())}


@torch.no_grad()
def score(run, stems, mixtures=None, batch=8):
    """Means per stem over the mixtures that have it, and the level of stems that should be silent (mean and loudest tenth).
    `mixtures` are another network's outputs for the stems; without them the stems are mixed."""
    mixtures = stems.sum(1) if mixtures is None else mixtures
    pieces = []
    for start in range(0, len(stems), batch):
        truth, mixture = (sounds[start : start + batch] for sounds in (stems, mixtures))
        estimate = separate(run, mixture)
        pieces.append((shares(estimate, truth), *measure(with_guitar(estimate), with_guitar(truth), mixture[:, None])))
    share, reached, gained, level_db, is_there, has_company = (torch.cat(values) for values in zip(*pieces))
    return {
        "share_median": summarize(share, is_there[:, : len(STEMS)], torch.median),
        "si_sdr": summarize(reached, is_there, torch.mean),
        "si_sdr_gain": summarize(gained, has_company, torch.mean),
        "si_sdr_gain_median": summarize(gained, has_company, torch.median),
        "absent_level": summarize(level_db, ~is_there, torch.mean),
        "absent_level_worst_tenth": summarize(level_db, ~is_there, lambda values: torch.quantile(values.float(), 0.9)),
    }


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--held-out", required=True, help="made by training.mix.held_out_other")
    parser.add_argument("--weights", required=True)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() and not options.weights.endswith(".onnx") else "cpu"
    stems = torch.from_numpy(numpy.load(options.held_out).astype(numpy.float32)).to(device)
    scores = {"mixtures": len(stems), "present": {name: int((stems[:, at].abs().amax((1, 2)) > 0).sum()) for at, name in enumerate(STEMS)}}
    scores.update(score(load_runner(options.weights, device), stems))
    print(json.dumps(scores, indent=1))
    if options.out:
        options.out.write_text(json.dumps(scores, indent=1) + "\n")


if __name__ == "__main__":
    main()
