"""Scores a network on the held-out set, as it is deployed: windows of 8 s, 6 s apart, cross-faded.

    python3 -m training.evaluate --held-out held-out.npy --weights average.pt|model.onnx [--out scores.json]
"""

import argparse
import json
from pathlib import Path

import numpy
import torch

from training.losses.scores import sdr, si_sdr
from training.mix.held_out import COUNT, RATE_HZ, STEMS
from training.networks.stft import HOP, istft, stft

WINDOW_FRAMES = 344 * HOP  # 7.99 s
STEP_FRAMES = 258 * HOP  # 5.99 s


def window_starts(frames):
    starts = list(range(0, max(1, frames - WINDOW_FRAMES), STEP_FRAMES))
    if starts[-1] + WINDOW_FRAMES < frames:
        starts.append(frames - WINDOW_FRAMES)
    return starts


def cross_fade(frames, device):
    ramp = WINDOW_FRAMES - STEP_FRAMES
    position = torch.arange(frames, device=device, dtype=torch.float32)
    return torch.minimum((position + 1) / ramp, (frames - position) / ramp).clamp(max=1)


@torch.no_grad()
def separate(run, mixture):
    """`run` maps a spectrum [n, 4, t, bins] to stems' spectra; mixture [n, 2, frames] → [n, stems, 2, frames].
    Additional inputs of a network are further channels of both."""
    total, weight_sum = 0, torch.zeros(mixture.shape[-1], device=mixture.device)
    for start in window_starts(mixture.shape[-1]):
        piece = mixture[..., start : start + WINDOW_FRAMES]
        frames = piece.shape[-1]
        stems = istft(run(stft(piece.unflatten(1, (-1, 2))).flatten(1, 2)), frames)
        weight = cross_fade(frames, mixture.device)
        if isinstance(total, int):
            total = torch.zeros(*stems.shape[:-1], mixture.shape[-1], device=mixture.device)
        total[..., start : start + frames] += stems * weight
        weight_sum[start : start + frames] += weight
    return total / weight_sum


@torch.no_grad()
def score(run, stems, batch=12):
    """Mean SI-SDR and SDR per stem over the set, rounded; `run` None scores the untouched mixture."""
    results = {"si_sdr": [], "sdr": []}
    for start in range(0, len(stems), batch):
        truth = stems[start : start + batch]
        mixture = truth.sum(1)
        estimate = separate(run, mixture) if run else mixture[:, None].expand_as(truth)
        results["si_sdr"].append(si_sdr(estimate, truth))
        results["sdr"].append(sdr(estimate, truth))
    means = {key: torch.cat(values) for key, values in results.items()}
    return {key: {name: round(float(value[:, at].mean()), 2) for at, name in enumerate(STEMS)} for key, value in means.items()}


def load_runner(path, device):
    if path.endswith(".onnx"):
        import onnxruntime

        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        channels = session.get_inputs()[0].shape[1]
        one = lambda spectrum: torch.from_numpy(session.run(None, {"spectrum": spectrum[None, :channels].numpy()})[0][0])
        return lambda spectra: torch.stack([one(spectrum) for spectrum in spectra])
    from training.checkpoint import load_network

    return load_network(path).to(device).eval()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--held-out", required=True, help="made by training.mix.held_out --save")
    parser.add_argument("--weights", default="")
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    is_onnx = options.weights.endswith(".onnx")
    device = "cuda" if torch.cuda.is_available() and not is_onnx else "cpu"
    stems = torch.from_numpy(numpy.load(options.held_out)[: options.count]).to(device)
    scores = {"mixtures": len(stems), "seconds": stems.shape[-1] / RATE_HZ, "untouched": score(None, stems)}
    if options.weights:
        scores["network"] = score(load_runner(options.weights, device), stems)
    print(json.dumps(scores, indent=1))
    if options.out:
        options.out.write_text(json.dumps(scores, indent=1) + "\n")


if __name__ == "__main__":
    main()
