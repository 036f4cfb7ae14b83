"""Scores a network that cleans speech on the held-out recordings: SI-SDR improvement, STOI and log-spectral distance, before and after.

    python3 -m training.evaluate_speech --held-out held-out.npz --weights RUN/average.pt|model.onnx --out scores.json
"""

import argparse
import json
from pathlib import Path

import numpy
import torch

from training.checkpoint import load_network
from training.losses.cleaning import speech_of
from training.losses.intelligibility import log_spectral_distance, stoi
from training.losses.voices import si_sdr
from training.mix.held_out_speech import RATE_HZ
from training.tasks.cleaning import clean

TARGETS = {"noise": ("speech",), "rooms": ("dry",), "both": ("dry", "speech")}
OUTPUTS = ("dry", "speech")


def compare(estimate, mixture, truth):
    """Means over recordings [n, samples]."""
    gain = si_sdr(estimate, truth) - si_sdr(mixture, truth)
    pairs = {"before": mixture, "after": estimate}
    wanted = truth.cpu().numpy()
    result = {"si_sdr_gain": round(float(gain.mean()), 2), "si_sdr_gain_worst_tenth": round(float(torch.quantile(gain, 0.1)), 2)}
    for when, sounds in pairs.items():
        sounds = sounds.cpu().numpy()
        result[f"stoi_{when}"] = round(float(numpy.nanmean([stoi(*pair, RATE_HZ) for pair in zip(sounds, wanted)])), 4)
        result[f"log_spectral_distance_{when}"] = round(float(numpy.mean([log_spectral_distance(*pair) for pair in zip(sounds, wanted)])), 2)
    return result


@torch.no_grad()
def score_set(network, held_out, device, batch=10):
    result = {}
    for kind, stems in held_out.items():
        stems = torch.from_numpy(stems).float()
        mixture, truth = stems.sum(1), speech_of(stems)
        outputs = torch.cat([speech_of(clean(network, some.to(device))).cpu() for some in mixture.split(batch)])
        result[kind] = {name: compare(outputs[:, at], mixture, truth[:, at]) for at, name in enumerate(OUTPUTS) if name in TARGETS[kind]}
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    parser.add_argument("--held-out", type=Path, required=True)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = load_network(options.weights).to(device).eval()
    result = score_set(network, numpy.load(options.held_out), device)
    print(json.dumps(result, indent=1))
    if options.out:
        options.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
