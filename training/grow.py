"""Makes a deeper network from a trained one with nearly the same output: training then continues from there.

A new layer is a copy of the one before it whose last matrices are zero, so that it adds nothing yet. To stay within the number of parameters the
masks' hidden layers may be made narrower: of each band the units that the masks miss least are taken out one by one, and what they gave is given to
those that are left, as far as these can (least squares over training mixtures, each moment counting as loud as it is).

    python3 -m training.grow --weights model.onnx --packs FOLDER --depth 12 --mask-hidden 144 --out grown.pt
"""

import argparse
import json
from dataclasses import replace
from pathlib import Path

import torch
from torch.nn import functional

from training.checkpoint import load_network, make_network, save_weights
from training.mix.dialogue_music_effects import DialogueMusicEffects
from training.mix.pool import Pools
from training.networks.stft import HOP, stft

DATA = Path(__file__).parent / "data" / "dialogue-music-effects.json"
MIXTURES, SEGMENT_HOPS = 24, 344


def deepened(network, depth):
    """The network with its layers spread over `depth`; each new one is the identity."""
    own = network.state_dict()
    deeper = type(network)(replace(network.config, depth=depth))
    state = deeper.state_dict()
    origins = [at * network.config.depth // depth for at in range(depth)]
    for name in state:
        kind, *rest = name.split(".")
        if not kind.endswith("_layers"):
            state[name] = own[name]
            continue
        at, part = int(rest[0]), ".".join(rest[1:])
        is_new = at > 0 and origins[at] == origins[at - 1]
        state[name] = own[f"{kind}.{origins[at]}.{part}"]
        if is_new and part in ("out.weight", "down.weight", "down.bias"):
            state[name] = torch.zeros_like(state[name])
    deeper.load_state_dict(state)
    return deeper


def least_missed(activations, weights, keep):
    """Which columns of `activations` [moments, units] to keep, and the `weights` [units, outputs] that best replace all. The last column stays."""
    covariance = activations.T @ activations / len(activations)
    inverse = torch.linalg.inv(covariance + 1e-5 * covariance.diagonal().mean() * torch.eye(len(covariance), dtype=covariance.dtype))
    weights, left = weights.clone(), list(range(len(weights)))
    while len(left) > keep + 1:
        cost = weights.square().sum(1) / inverse.diagonal()
        out = int(cost[:-1].argmin())
        share = inverse[:, out] / inverse[out, out]
        weights -= share[:, None] * weights[out]
        inverse = inverse - share[:, None] * inverse[out]
        kept = [at for at in range(len(left)) if at != out]
        weights, inverse = weights[kept], inverse[kept][:, kept]
        left.pop(out)
    return left[:-1], weights


def narrowed_group(group, narrow, tokens, loudness):
    """Fills the band group `narrow` from `group`. `tokens` [moments, count, width] are its inputs, `loudness` [moments, count] the mixture's."""
    for band in range(group.count):
        hidden = functional.gelu(tokens[:, band] @ group.hidden_weight[band] + group.hidden_bias[band])
        hidden = torch.cat([hidden, torch.ones(len(hidden), 1)], 1) * loudness[:, band, None]
        weights = torch.cat([group.mask_weight[band], group.mask_bias[band]])
        kept, refitted = least_missed(hidden.double(), weights.double(), narrow.hidden_weight.shape[-1])
        narrow.hidden_weight[band] = group.hidden_weight[band][:, kept]
        narrow.hidden_bias[band] = group.hidden_bias[band][:, kept]
        narrow.mask_weight[band], narrow.mask_bias[band] = refitted[:-1].float(), refitted[-1:].float()


def narrowed(network, mask_hidden, spectra):
    """The network with smaller hidden layers in its masks, fitted to `spectra` [n, 4, frames, bins]."""
    narrow = make_network({**network.config.to_dict(), "mask_hidden": mask_hidden})
    own, fitting = network.state_dict(), narrow.state_dict()
    narrow.load_state_dict({name: own[name] if own[name].shape == value.shape else value for name, value in fitting.items()})
    seen = []
    handle = network.norm.register_forward_hook(lambda _, __, output: seen.append(output))
    for spectrum in spectra:
        network(spectrum[None])
    handle.remove()
    tokens = torch.cat(seen).flatten(0, 1)
    power = functional.pad(spectra.square().sum(1), (0, network.config.padded_bins - spectra.shape[-1])).flatten(0, 1)
    first_band, first_bin = 0, 0
    for group, narrow_group in zip(network.groups, narrow.groups):
        bins = power[:, first_bin : first_bin + group.count * group.size]
        loudness = bins.reshape(len(bins), group.count, group.size).sum(-1).sqrt()
        narrowed_group(group, narrow_group, tokens[:, first_band : first_band + group.count], loudness)
        first_band, first_bin = first_band + group.count, first_bin + bins.shape[-1]
    return narrow


def training_spectra(packs):
    pools = Pools(packs, "cpu", json.loads(DATA.read_text())["sources"])
    list(pools.load_new())
    stems = DialogueMusicEffects(pools, SEGMENT_HOPS * HOP).draw(MIXTURES)
    return stft(stems.sum(1))


@torch.no_grad()
def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    parser.add_argument("--packs", required=True)
    parser.add_argument("--depth", type=int, required=True)
    parser.add_argument("--mask-hidden", type=int, required=True)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    torch.manual_seed(1)
    network = load_network(options.weights).eval()
    grown = deepened(narrowed(network, options.mask_hidden, training_spectra(options.packs)), options.depth)
    save_weights(options.out, grown.config, grown.state_dict())
    print(f"{sum(parameter.numel() for parameter in grown.parameters()):,} parameters")


if __name__ == "__main__":
    main()
