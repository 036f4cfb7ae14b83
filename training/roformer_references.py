"""References for the tests of BS-RoFormer and Mel-Band RoFormer: small networks with seeded weights, run by the original code.

    python3 training/roformer_references.py --msst MSST --lucidrains BS-RoFormer --song SONG.f32 --out FOLDER [--whole FOLDER]

MSST is a checkout of ZFTurbo/Music-Source-Separation-Training (ccc011a), the other one of lucidrains/BS-RoFormer (1ccb8a8), which alone has value
residuals. SONG.f32 is what `packages/engine/networks/roformer/support/write-song.ts` writes. For each variant FOLDER gets the names and shapes of the
tensors with the configuration (`variants.json.gz`) and every 127th frame of the stems (`NAME.f32`); `--whole` gets all frames. Weights are a hash of the
tensor's name and the index, so that they need not be stored.
"""

import argparse
import gzip
import json
import sys
import zlib
from pathlib import Path

import numpy as np
import torch
from torch import nn

RATE = 44100
EVERY = 127
BANDS = [2] * 24 + [4] * 12 + [12] * 8 + [24] * 8 + [48] * 8 + [128, 129]
FEW_BANDS = [1] * 9 + [2] * 8 + [5] * 10 + [20] * 10 + [50] * 5 + [200, 300]


def noise(name, count):
    """Numbers from −1 to 1 that depend on the name alone; `hashNoise` in the tests is the same."""
    x = (np.arange(count, dtype=np.uint64) * 2654435761 + zlib.crc32(name.encode())) & 0xFFFFFFFF
    for _ in range(2):
        x ^= x >> np.uint64(16)
        x = (x * np.uint64(0x45D9F3B)) & np.uint64(0xFFFFFFFF)
    x ^= x >> np.uint64(16)
    return (x.astype(np.float64) / 2**31 - 1).astype(np.float32)


def weight(name, shape):
    values = noise(name, int(np.prod(shape))).reshape(shape)
    if name.endswith("gamma") or name.endswith("temperature"):
        return 1 + np.float32(0.3) * values
    if len(shape) < 2:
        return np.float32(0.2) * values
    return values * np.float32(1.7 / np.sqrt(shape[-1]))


def fill(model, dtype):
    state = model.state_dict()
    made = {}
    for name, tensor in state.items():
        if name.endswith("rotary_embed.freqs"):
            made[name] = tensor
            continue
        values = weight(name, tuple(tensor.shape))
        made[name] = torch.from_numpy(values.astype(np.float16).astype(np.float32) if dtype == "F16" else values)
    model.load_state_dict(made)
    return {name: list(tensor.shape) for name, tensor in made.items()}


def variants():
    base = dict(stereo=True, time_transformer_depth=1, freq_transformer_depth=1, dim_head=16, heads=4, dim=32, depth=2,
                flash_attn=True, stft_hop_length=441, stft_n_fft=2048, stft_win_length=2048)
    bs = dict(base, freqs_per_bands=tuple(BANDS))
    one = dict(instruments=["vocals", "other"], target_instrument="vocals")
    four = dict(instruments=["drums", "bass", "other", "vocals"], target_instrument=None)
    two = dict(instruments=["vocals", "other"], target_instrument=None)
    yield "bs-one", "bs_roformer", dict(bs, num_stems=1), one, 132300, 2, {}
    yield "bs-four", "bs_roformer", dict(bs, num_stems=4, stft_hop_length=512, mask_estimator_depth=3, mlp_expansion_factor=2,
                                         zero_dc=False), four, 131072, 4, {}
    yield "bs-mono", "bs_roformer", dict(bs, stereo=False, freqs_per_bands=tuple(FEW_BANDS), num_stems=1, stft_hop_length=512,
                                         mask_estimator_depth=3, mlp_expansion_factor=1), one, 131072, 2, {}
    yield "bs-skip", "bs_roformer", dict(bs, num_stems=2, depth=3, skip_connection=True, stft_normalized=True), two, 132300, 2, {}
    yield "bs-linear", "bs_roformer", dict(bs, num_stems=1, linear_transformer_depth=1, time_transformer_depth=2,
                                           freq_transformer_depth=2), one, 132300, 2, {}
    yield "bs-linear-skip", "bs_roformer", dict(bs, num_stems=1, depth=3, linear_transformer_depth=1,
                                                skip_connection=True), one, 132300, 1, {}
    yield "bs-values", "lucidrains", dict(bs, num_stems=1, depth=3, num_residual_streams=1), one, 132300, 2, {}
    yield "bs-sw", "bs_roformer", dict(bs, num_stems=2, stft_hop_length=512), two, 131072, 2, dict(bias="shared", dtype="F16")
    yield "bs-logic", "bs_roformer", dict(bs, num_stems=2, stft_hop_length=512), two, 131072, 2, dict(bias="own")
    mel = dict(base, num_bands=60, sample_rate=RATE)
    yield "mel-one", "mel_band_roformer", dict(mel, num_stems=1), one, 132300, 2, {}
    yield "mel-two", "mel_band_roformer", dict(mel, num_stems=2, stft_n_fft=4096, stft_win_length=4096, stft_hop_length=882,
                                               mask_estimator_depth=3, mlp_expansion_factor=1, zero_dc=False,
                                               match_input_audio_length=True), two, 132000, 2, {}
    yield "mel-skip", "mel_band_roformer", dict(mel, num_stems=2, depth=3, skip_connection=True, time_transformer_depth=2,
                                                stft_normalized=True, mask_estimator_depth=2, mlp_expansion_factor=2), two, 132300, 3, {}
    yield "mel-linear", "mel_band_roformer", dict(mel, num_stems=1, linear_transformer_depth=1, num_bands=48,
                                                  stereo=False), one, 132300, 2, {}


def add_biases(model, kind):
    """As the conversions of one network have them: a bias of each layer, or of all."""
    qkv = out = None
    for block in model.layers:
        for transformer in block:
            for attention, _ in transformer.layers:
                qkv = nn.Parameter(torch.zeros(attention.to_qkv.out_features)) if kind == "own" or qkv is None else qkv
                out = nn.Parameter(torch.zeros(attention.to_out[0].out_features)) if kind == "own" or out is None else out
                attention.to_qkv.bias = qkv
                attention.to_out[0].bias = out
    return qkv, out


def build(kind, options, extra, args):
    if kind == "lucidrains":
        sys.path.insert(0, str(args.lucidrains))
        from bs_roformer.bs_roformer import BSRoformer
        model = BSRoformer(**options)
    elif kind == "bs_roformer":
        from models.bs_roformer.bs_roformer import BSRoformer
        model = BSRoformer(**options)
    else:
        from models.bs_roformer.mel_band_roformer import MelBandRoformer
        model = MelBandRoformer(**options)
    biases = add_biases(model, extra["bias"]) if "bias" in extra else None
    shapes = fill(model, extra.get("dtype"))
    if biases and extra["bias"] == "shared":
        for name, parameter in zip(("shared_qkv_bias", "shared_out_bias"), biases):
            with torch.no_grad():
                parameter.copy_(torch.from_numpy(weight(name, tuple(parameter.shape)).astype(np.float16).astype(np.float32)))
            shapes[name] = list(parameter.shape)
        shapes = {name: shape for name, shape in shapes.items()
                  if not name.endswith(("to_qkv.bias", "to_out.0.bias", "rotary_embed.freqs"))}
        for axis, length in (("time", 257), ("freq", 62)):
            for wave in ("cos", "sin"):
                shapes[f"{wave}_emb_{axis}"] = [length, options["dim_head"]]
    return model.eval(), shapes


def main():
    parser = argparse.ArgumentParser()
    for name in ("msst", "lucidrains", "song", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--whole", type=Path)
    parser.add_argument("--only", help="some variants, separated by commas")
    args = parser.parse_args()
    sys.path.insert(0, str(args.msst))
    from ml_collections import ConfigDict
    from utils.model_utils import demix, prefer_target_instrument
    song = np.fromfile(args.song, dtype=np.float32).reshape(2, -1)
    listing = args.out / "variants.json.gz"
    for name, kind, options, training, chunk, overlap, extra in variants():
        if args.only and name not in args.only.split(","):
            continue
        model, shapes = build(kind, options, extra, args)
        channels = 2 if options["stereo"] else 1
        config = dict(audio=dict(chunk_size=chunk, sample_rate=RATE, num_channels=channels), model=options,
                      training=dict(training, use_amp=True), inference=dict(num_overlap=overlap, batch_size=1))
        mix = song if channels == 2 else song[:1]
        stems = demix(ConfigDict(config), model, mix, torch.device("cpu"), "bs_roformer")
        names = prefer_target_instrument(ConfigDict(config))
        planes = np.stack([stems[stem].reshape(channels, -1) for stem in names])
        planes[..., ::EVERY].astype(np.float32).tofile(args.out / f"{name}.f32")
        if args.whole:
            planes.astype(np.float32).tofile(args.whole / f"{name}.f32")
        found = json.loads(gzip.decompress(listing.read_bytes())) if listing.exists() else {}
        found[name] = dict(config=config, stems=names, tensors=shapes, dtype=extra.get("dtype", "F32"))
        level = [round(10 * np.log10(np.mean(plane**2) / np.mean(mix**2)), 1) for plane in planes]
        print(name, planes.shape, level, flush=True)
        listing.write_bytes(gzip.compress(json.dumps(found, sort_keys=True).encode(), 9, mtime=0))


if __name__ == "__main__":
    with torch.inference_mode():
        main()
