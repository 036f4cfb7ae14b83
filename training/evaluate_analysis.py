"""Scores the music analyser, frame by frame, on the rendered held-out set.

    python3 -m training.evaluate_analysis --held-out held-out.npz --weights average.pt [--out scores.json]
"""

import argparse
import json
from pathlib import Path

import torch

from training.checkpoint import load_network
from training.tasks.analysis import load_examples, score_analysis


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--held-out", type=Path, required=True)
    parser.add_argument("--weights", required=True)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    scores = score_analysis(load_network(options.weights).to(device).eval(), load_examples(options.held_out, device))
    print(json.dumps(scores, indent=1))
    if options.out:
        options.out.write_text(json.dumps(scores, indent=1) + "\n")


if __name__ == "__main__":
    main()
