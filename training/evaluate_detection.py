"""Scores a music detector on its held-out set, output by output, and fits its confidence.

    python3 -m training.evaluate_detection --held-out held-out-detection.npz --weights average.pt [--calibrate calibrated.pt]
    python3 -m training.evaluate_detection --held-out test.npz --weights calibrated.pt --as-they-are

Conversations, if the set has any, count among the clips. Fitted without them, the confidence took 46 % of their time for music where the network itself
took 10 %. Each half is scored with the confidence fitted on the other, which has other people in its conversations; `--calibrate` writes the weights with the
one fitted on all of them. `--as-they-are` scores weights with the confidence they have, for clips on which nothing may be fitted.
"""

import argparse
import json
from pathlib import Path

import numpy
import torch
from torch.nn import functional

from training.checkpoint import load_network, save_weights
from training.mix.held_out_detection import KINDS, SECONDS, STEP_S
from training.networks.music_detector import RATE_HZ, STRIDE, evidence, probability_of
from training.networks.stft import HOP, power_spectrum


def load_set(path, device):
    """(clips int16 [n, samples], truth at every output of the detector [n, outputs])."""
    saved = numpy.load(path)
    clips, truths = torch.from_numpy(saved["clips"]), torch.from_numpy(saved["truths"])
    outputs = -(-(clips.shape[1] // HOP + 1) // STRIDE)
    step = (torch.arange(outputs) * (STRIDE * HOP / RATE_HZ) / STEP_S).long().clamp(max=truths.shape[1] - 1)
    return clips.to(device), truths[:, step].to(device)


@torch.no_grad()
def logits_of(network, clips, batch=16):
    parts = [network(power_spectrum(clips[at : at + batch].float() / 32768)) for at in range(0, len(clips), batch)]
    return torch.cat(parts)


def load_talks(path):
    """Conversations without music: clips int16 [n, samples], the place and the half of each; none if the set was made without speech."""
    saved = numpy.load(path)
    return (torch.from_numpy(saved["talks"]), saved["places"].tolist(), torch.from_numpy(saved["halves"])) if "talks" in saved else None


def music_in_talks(is_music, places):
    """The share of the conversations' time that is taken for music, in all and by place, and their seconds."""
    share = lambda wanted: round(float(is_music[wanted].float().mean()), 4)
    by_place = {place: share([at for at, where in enumerate(places) if where == place]) for place in sorted(set(places))}
    return {"seconds": len(places) * SECONDS, "music": share(list(range(len(places)))), **by_place}


def f1(is_music, truth):
    hits = (is_music & (truth == 1)).sum()
    wrong = (is_music & (truth == 0)).sum() + (~is_music & (truth == 1)).sum()
    return float(2 * hits / (2 * hits + wrong).clamp(min=1))


def score(network, held_out, talks=None):
    clips, truth = held_out
    is_music = logits_of(network, clips)[..., 0] > 0
    scores = {"f1": {kind: round(f1(is_music[at::2], truth[at::2]), 4) for at, kind in enumerate(KINDS)}}
    if talks:
        sounds, places, _ = talks
        scores["conversations"] = music_in_talks(logits_of(network, sounds.to(clips.device))[..., 0] > 0, places)
    return scores


def calibrate(logits, truth):
    """The weights of `evidence` and the offset that maximise the likelihood of the truth."""
    known = truth >= 0
    x, y = evidence(logits[known]), (truth[known] == 1).double()
    fitted = torch.zeros(x.shape[-1] + 1, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([fitted], max_iter=300)

    def closure():
        optimizer.zero_grad()
        loss = functional.binary_cross_entropy_with_logits(x @ fitted[:-1] + fitted[-1], y)
        loss.backward()
        return loss

    optimizer.step(closure)
    return fitted.tolist()


def cross_fitted(logits, truth, halves):
    """The probability of music, with each half of the clips calibrated on the other."""
    probability = torch.zeros(logits.shape[:2], dtype=logits.dtype)
    for half in (halves == 0, halves == 1):
        probability[half] = probability_of(logits[half], calibrate(logits[~half], truth[~half]))
    return probability


def reliability(probability, truth, bins=10):
    """[(mean probability, share of music, count)] for ten ranges of probability."""
    known = truth >= 0
    p, y = probability[known], (truth[known] == 1).float()
    at = (p * bins).long().clamp(max=bins - 1)
    rows = [(p[at == k], y[at == k]) for k in range(bins)]
    return [(round(float(a.mean()), 4), round(float(b.mean()), 4), len(a)) for a, b in rows if len(a)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--held-out", required=True)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--calibrate", help="where to write the weights with fitted confidence")
    parser.add_argument("--as-they-are", action="store_true", help="fit nothing")
    parser.add_argument("--out", type=Path, help="the scores as JSON")
    options = parser.parse_args()
    network = load_network(options.weights).eval()
    clips, truth = load_set(options.held_out, "cpu")
    logits, halves = logits_of(network, clips).double(), torch.arange(len(clips)) // 2 % 2
    talks = load_talks(options.held_out)
    if talks:
        sounds, places, halves_of_talks = talks
        spoken = logits_of(network, sounds).double()
        logits, truth, halves = torch.cat([logits, spoken]), torch.cat([truth, truth.new_zeros(spoken.shape[:2])]), torch.cat([halves, halves_of_talks])
    if options.as_they_are:
        confidence = list(network.config.confidence)
        probability = probability_of(logits, confidence)
    else:
        confidence = [round(value, 4) for value in calibrate(logits, truth)]
        probability = cross_fitted(logits, truth, halves)
    if options.calibrate:
        config = type(network.config)(**{**network.config.to_dict(), "confidence": confidence})
        save_weights(options.calibrate, config, network.state_dict())
    report = {"confidence": confidence, "f1": {}}
    for at, kind in enumerate(KINDS):
        of_kind = slice(at, len(clips), 2)
        report["f1"][kind] = round(f1(probability[of_kind] > 0.5, truth[of_kind]), 4)
    if talks:
        report["conversations"] = music_in_talks(probability[len(clips) :] > 0.5, places)
    report["reliability"] = reliability(probability, truth)
    text = json.dumps(report, indent=1)
    print(text)
    if options.out:
        options.out.write_text(text + "\n")


if __name__ == "__main__":
    main()
