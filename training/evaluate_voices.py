"""Scores a separator of two voices on the held-out mixtures: SI-SDR improvement dry and in rooms, and what a single voice leaves in the second output.

    python3 -m training.evaluate_voices --held-out held-out.npz --weights RUN/average.pt --out scores.json
    python3 -m training.evaluate_voices --pairs FOLDER --weights weights/voices-separator/model.onnx      folders with s0.wav and s1.wav
"""

import argparse
import json
from pathlib import Path

import numpy
import torch

from training.checkpoint import load_network
from training.losses.voices import improvement
from training.tasks.two_voices import separate

QUANTILES = (0.03, 0.1, 0.5)


def separate_all(network, mixtures, batch=10):
    with torch.no_grad():
        return torch.cat([separate(network, some)[:, :2] for some in mixtures.split(batch)])


def describe(gains):
    return {
        "mean": round(float(gains.mean()), 2),
        "below_3_db": round(float((gains < 3).float().mean()), 3),
        **{f"quantile_{share}": round(float(torch.quantile(gains, share)), 2) for share in QUANTILES},
    }


def score_alone(outputs):
    levels = outputs.square().mean(-1).clamp(min=1e-12)
    second_db = 10 * torch.log10(levels.amin(1) / levels.amax(1))
    return {"mean_db": round(float(second_db.mean()), 1), "worst_db": round(float(second_db.max()), 1), "above_minus_40": round(float((second_db > -40).float().mean()), 3)}


def score_set(network, held_out, speakers):
    result = {}
    for kind, voices in held_out.items():
        outputs = separate_all(network, voices.sum(1))
        if kind == "alone":
            result[kind] = score_alone(outputs)
            continue
        gains = improvement(outputs, voices).cpu()
        result[kind] = describe(gains)
        families = [{name[0] for name in names} for names in speakers.get(kind, [])]
        for family in sorted(set().union(*families)) if families else []:
            some = gains[[family in present for present in families]]
            result[kind][f"with_{family}"] = [round(float(some.mean()), 2), len(some)]
    return result


def read_pair(folder):
    """The references [1, 2, samples] at 16 kHz, in whole hops, resampled by ffmpeg."""
    import subprocess

    def read(path):
        command = ["ffmpeg", "-v", "error", "-i", str(path), "-f", "f32le", "-ac", "1", "-ar", "16000", "-"]
        return numpy.frombuffer(subprocess.run(command, capture_output=True, check=True).stdout, numpy.float32)

    voices = [read(path) for path in sorted(folder.glob("s[0-9].*"))]
    frames = min(map(len, voices)) // 160 * 160
    return torch.from_numpy(numpy.stack([voice[:frames] for voice in voices]))[None]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    parser.add_argument("--held-out", type=Path)
    parser.add_argument("--pairs", type=Path, nargs="*", default=[])
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    network = load_network(options.weights).to(device).eval()
    result = {}
    if options.held_out:
        held_out = {name: torch.from_numpy(values).to(device) for name, values in numpy.load(options.held_out).items()}
        names = options.held_out.with_suffix(".speakers.json")
        result = score_set(network, held_out, json.loads(names.read_text()) if names.exists() else {})
    for folder in options.pairs:
        voices = read_pair(folder).to(device)
        result[folder.name] = round(float(improvement(separate_all(network, voices.sum(1)), voices)), 2)
    print(json.dumps(result, indent=1))
    if options.out:
        options.out.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
