"""The mean of the weights of networks of one kind and size: what two runs from one start know often adds up.

    python3 -m training.mean_weights weights/music-detection/model.onnx average.pt --out mean.pt

Its settings are the first file's; a detector's confidence has to be fitted again (`training.evaluate_detection --calibrate`).
"""

import argparse

import torch

from training.checkpoint import load_network, save_weights


def mean_of(networks):
    """{name: value} of state dicts with the same names and shapes."""
    states = [network.state_dict() for network in networks]
    return {name: torch.stack([state[name].float() for state in states]).mean(0) for name in states[0]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    networks = [load_network(path) for path in options.files]
    save_weights(options.out, networks[0].config, mean_of(networks))


if __name__ == "__main__":
    main()
