"""Gives a trained splitter more stems: each new mask starts as a weighted sum of the old ones, which together stay what they were.

    python3 -m training.finer_stems --weights five-stems.onnx --out finer.pt
"""

import argparse
from dataclasses import replace

import torch

from training.checkpoint import load_network, save_weights
from training.mix.arrange import STEMS

ORIGINS = {
    "guitar_electric": {"guitar": 0.5}, "guitar_acoustic": {"guitar": 0.5}, "piano": {"piano": 0.75}, "keys": {"piano": 0.25, "rest": 0.25},
    "strings": {"strings": 1.0}, "wind": {"wind": 1.0}, "rest": {"rest": 0.75},
}  # fmt: skip
"""Of which of the five stems before each one is made."""
BEFORE = ("guitar", "piano", "strings", "wind", "rest")


def with_stems(network, shares):
    """The network with one stem for each row of `shares` [new, old]."""
    finer = type(network)(replace(network.config, stems=len(shares)))
    state = {}
    for name, value in network.state_dict().items():
        if name.endswith((".mask_weight", ".mask_bias")):
            count, rows, outputs = value.shape
            old = value.reshape(count, rows, network.config.stems, outputs // network.config.stems)
            value = torch.einsum("ns,crso->crno", shares, old).reshape(count, rows, -1)
        state[name] = value
    finer.load_state_dict(state)
    return finer


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    shares = torch.tensor([[ORIGINS[stem].get(old, 0.0) for old in BEFORE] for stem in STEMS])
    finer = with_stems(load_network(options.weights), shares)
    save_weights(options.out, finer.config, finer.state_dict())
    print(f"{sum(parameter.numel() for parameter in finer.parameters()):,} parameters")


if __name__ == "__main__":
    main()
