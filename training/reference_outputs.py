"""What the original implementations of other people's architectures give, with weights and audio that a formula makes: golden files for the engine's
tests. They hold no weights: a test makes the same ones by the names, shapes and ranges in the file.

    python3 training/reference_outputs.py --demucs DEMUCS --msst MUSIC_SOURCE_SEPARATION_TRAINING --uvr UVR --out FOLDER [NAME…]

The three are checkouts of adefossez/demucs, ZFTurbo/Music-Source-Separation-Training and Anjok07/ultimatevocalremovergui. With `--audio FILE.f32` (stereo planes one behind
the other) in place of the formula's, and `--every 1`, the files hold all samples, for measuring.
"""

import argparse
import ast
import base64
import importlib.util
import json
import math
import sys
from pathlib import Path

import numpy
import torch

LENGTH_SECONDS = 6


def mix_bits(values):
    """Murmur's finalizer: 32 well mixed bits for each counter."""
    bits = values.astype(numpy.uint32)
    for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
        bits = (bits ^ (bits >> numpy.uint32(shift))) * numpy.uint32(factor)
    return bits ^ (bits >> numpy.uint32(16))


def make_noise(seed, count):
    """Between -1 and 1."""
    counters = numpy.arange(count, dtype=numpy.uint32) + numpy.uint32((seed * 0x9E3779B9) & 0xFFFFFFFF)
    return mix_bits(counters).astype(numpy.float64) / 2**31 - 1


def make_audio(rate, length):
    """Swelling tones and noise, different in each channel."""
    time = numpy.arange(length, dtype=numpy.float64) / rate
    planes = []
    for channel in range(2):
        swell = 0.55 + 0.45 * numpy.sin(2 * math.pi * (0.31 + 0.07 * channel) * time)
        tones = sum(
            numpy.sin(2 * math.pi * pitch * time * (1 + 0.01 * time) + channel) / (1 + n)
            for n, pitch in enumerate((97.0, 220.0, 341.0, 1130.0, 2750.0))
        )
        planes.append(0.12 * swell * tones + 0.02 * make_noise(1000 + channel, length))
    return torch.tensor(numpy.stack(planes).astype(numpy.float32))


def describe_weight(name, shape):
    """The middle and the range of a tensor's values: layers keep the level of what they get."""
    if name.endswith(".scale"):
        return 0.4, 0.2
    if len(shape) == 1 or min(shape) == 0:
        return (1.0, 0.2) if name.endswith((".weight", ".gamma")) else (0.0, 0.1)
    if name.endswith("embedding.weight"):
        return 0.0, 0.05
    inputs = math.prod(shape[1:])
    if "conv_tr" in name or "convtr" in name or "upscale" in name:
        inputs = shape[0] * 2
    return 0.0, math.sqrt(3 / inputs)


def fill(state):
    """Replaces all floats of a state by the formula's; returns their names, shapes, middles and ranges."""
    described = []
    for at, (name, tensor) in enumerate(state.items()):
        if not tensor.is_floating_point():
            continue
        middle, reach = describe_weight(name, tuple(tensor.shape))
        middle, reach = (float(numpy.float32(value)) for value in (middle, reach))
        values = middle + reach * make_noise(at + 1, tensor.numel())
        tensor.copy_(torch.tensor(values.astype(numpy.float32)).reshape(tensor.shape))
        described.append([name, list(tensor.shape), middle, reach, at + 1])
    return described


class Reference:
    def __init__(self, options):
        self.options = options

    def audio(self, rate):
        if self.options.audio:
            planes = numpy.fromfile(self.options.audio, dtype=numpy.float32).reshape(2, -1)
            return torch.tensor(planes)
        return make_audio(rate, LENGTH_SECONDS * rate)

    def write(self, name, rate, facts, stems):
        """`stems` is [stems, channels, length]."""
        every = self.options.every
        kept = stems[..., ::every].contiguous().numpy().astype(numpy.float32)
        power = (stems.double() ** 2).mean(dim=(1, 2)).sqrt().tolist()
        path = Path(self.options.out) / f"{name}.json"
        facts = {"rate": rate, "length": stems.shape[-1], "every": every, "levels": [round(p, 5) for p in power], **facts}
        facts["samples"] = base64.b64encode(kept.tobytes()).decode()
        path.write_text(json.dumps(facts))
        print(name, kept.shape, facts["levels"])


def time_chunk(reference, name, model, facts, length):
    """Times one chunk, and describes the network for the other program. Peak memory is that of the whole process."""
    import resource
    import time

    chunk = make_audio(44100, length)[None]
    usage = lambda: sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    with torch.no_grad():
        wall, cpu = time.perf_counter(), usage()
        model(chunk)
        figures = {"wallSeconds": time.perf_counter() - wall, "cpuSeconds": usage() - cpu}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    facts = {"rate": 44100, "length": length, "every": length, "samples": "", **facts}
    (Path(reference.options.out) / f"{name}.json").write_text(json.dumps(facts))
    print(json.dumps({**figures, "peakMegabytes": peak}))


def run_demucs(reference, name, members, weights=None, rate=16000):
    """`members` are pairs of a class's name and its keyword arguments."""
    from demucs.apply import BagOfModels, apply_model
    from demucs.hdemucs import HDemucs
    from demucs.htdemucs import HTDemucs

    classes = {"HTDemucs": HTDemucs, "HDemucs": HDemucs}
    models, packages = [], []
    for number, (kind, arguments) in enumerate(members):
        model = classes[kind](**arguments, samplerate=rate).eval()
        state = model.state_dict()
        # Members differ by a second network's seeds.
        tensors = fill(state) if number == 0 else fill(dict(reversed(list(state.items()))))
        models.append(model)
        packages.append({"className": kind, "options": {**arguments, "samplerate": rate}, "tensors": tensors})
    if reference.options.time:
        return time_chunk(reference, name, models[0], {"members": packages}, int(models[0].segment * rate))
    mix = reference.audio(rate)
    level = mix.mean(0)
    centred = ((mix - level.mean()) / (level.std() + 1e-8))[None]
    model = models[0] if len(models) == 1 else BagOfModels(models, weights)
    with torch.no_grad():
        stems = apply_model(model, centred, shifts=0, split=True, overlap=0.25)[0]
    stems = stems * (level.std() + 1e-8) + level.mean()
    reference.write(name, rate, {"members": packages, **({"weights": weights} if weights else {})}, stems)


def run_msst(reference, name, kind, config, rate=16000):
    from ml_collections import ConfigDict
    from utils.model_utils import demix

    config = ConfigDict(config)
    if kind == "htdemucs":
        from models.demucs4ht import get_model

        model = get_model(config)
    elif kind == "mdx23c":
        from models.mdx23c_tfc_tdf_v3 import TFC_TDF_net

        model = TFC_TDF_net(config)
    else:
        from models.scnet import scnet, scnet_masked

        model = (scnet_masked if kind == "scnet_masked" else scnet).SCNet(**config.model)
    model = model.eval()
    tensors = fill(model.state_dict())
    if reference.options.time:
        return time_chunk(reference, name, model, {"kind": kind, "msst": config, "tensors": tensors}, config.audio.chunk_size)
    mix = reference.audio(rate).numpy()
    mean, std = mix.mean(0).mean(), mix.mean(0).std()
    scaled = config.inference.get("normalize", False)
    with torch.no_grad():
        stems = demix(config, model, (mix - mean) / std if scaled else mix, "cpu", kind)
    planes = numpy.stack(list(stems.values()))
    stems = torch.tensor(planes * std + mean if scaled else planes)
    reference.write(name, rate, {"kind": kind, "msst": config, "tensors": tensors}, stems)


def load_methods(path, name, wanted, scope):
    """Some methods of a class, without its file's other needs: it belongs to a program with windows."""
    tree = ast.parse(Path(path).read_text())
    found = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    found.body = [node for node in found.body if getattr(node, "name", "") in wanted]
    found.bases = []
    exec(compile(ast.Module([found], []), str(path), "exec"), scope)
    return scope[name]


def run_mdx_net(reference, name, parameters, rate=44100):
    """The network is a small one, which the test builds as a graph: the chunks and transforms around it are what is compared."""
    import types

    spec = importlib.util.spec_from_file_location("uvr_transform", Path(reference.options.uvr) / "lib_v5" / "tfc_tdf_v3.py")
    transform = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(transform)
    default, no_stem = object(), "no stem"
    scope = {"STFT": transform.STFT, "np": numpy, "torch": torch, "DEFAULT": default, "NO_STEM": no_stem, "INST_STEM": no_stem}
    wanted = ("initialize_model_settings", "demix", "run_model")
    separator = load_methods(Path(reference.options.uvr) / "separate.py", "SeperateMDX", wanted, scope)()
    bins, slots = parameters["mdx_dim_f_set"], 2 ** parameters["mdx_dim_t_set"]
    network = torch.nn.Sequential(torch.nn.Conv2d(4, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(8, 4, 3, padding=1)).eval()
    tensors = fill(network.state_dict())
    vars(separator).update(
        n_fft=parameters["mdx_n_fft_scale_set"], dim_f=bins, hop=1024, mdx_segment_size=slots, device="cpu", overlap_mdx=default, is_pitch_change=False,
        mdx_batch_size=1, adjust=1, is_denoise=False, is_denoise_model=False, compensate=parameters["compensate"], model_run=network,
        running_inference_progress_bar=lambda *_, **__: None,
    )
    with torch.no_grad():
        stem = separator.demix(reference.audio(rate).numpy())
    facts = {"kind": "mdx-net", "msst": parameters, "tensors": tensors, "shape": [1, 4, bins, slots]}
    reference.write(name, rate, facts, torch.tensor(stem)[None])


SMALL_HT = {"channels": 8, "nfft": 2048, "segment": 2.3, "t_heads": 4}
SMALL_H = {"channels": 16, "nfft": 1024, "depth": 5, "norm_starts": 3, "dconv_attn": 3, "dconv_lstm": 3, "segment": 4}
STEMS = ["drums", "bass", "other", "vocals"]


def msst_config(model, instruments, chunk, rate=16000, overlap=2, **inference):
    return {
        "audio": {"chunk_size": chunk, "num_channels": 2, "sample_rate": rate, **model.pop("audio", {})},
        "training": {"instruments": instruments, "target_instrument": None, "use_amp": False, "samplerate": rate, "channels": 2},
        "inference": {"batch_size": 1, "num_overlap": overlap, **inference},
        **model,
    }


def bare_htdemucs():
    model = {"model": "htdemucs", "htdemucs": {"channels": 16, "nfft": 2048, "t_heads": 4, "t_layers": 3, "dconv_mode": 3, "bottom_channels": 0}}
    config = msst_config(model, ["vocals", "other"], 0, overlap=4)
    config["training"]["segment"] = 2
    return config


def mdx23c(**changes):
    model = {
        "act": "gelu", "bottleneck_factor": 4, "growth": 8, "norm": "InstanceNorm", "num_blocks_per_scale": 2,
        "num_channels": 8, "num_scales": 3, "num_subbands": 4, "scale": [2, 2], **changes,
    }
    return {"audio": {"n_fft": 1024, "hop_length": 256, "dim_f": 512, "dim_t": 128}, "model": model}


def scnet(dims=(4, 8, 16, 32), layers=2, **changes):
    model = {
        "sources": STEMS, "audio_channels": 2, "dims": list(dims), "nfft": 1024, "hop_size": 256, "win_size": 1024, "normalized": True,
        "band_SR": [0.175, 0.392, 0.433], "band_stride": [1, 4, 16], "band_kernel": [3, 4, 16], "conv_depths": [3, 2, 1],
        "compress": 4, "conv_kernel": 3, "num_dplayer": layers, "expand": 1, **changes,
    }
    return {"model": model}


CASES = {
    "htdemucs": lambda r: run_demucs(r, "htdemucs", [("HTDemucs", {"sources": STEMS, "bottom_channels": 32, "t_layers": 5, **SMALL_HT})]),
    "htdemucs-6s": lambda r: run_demucs(
        r, "htdemucs-6s",
        [("HTDemucs", {"sources": [*STEMS, "guitar", "piano"], "dconv_mode": 3, "t_layers": 3, "t_cross_first": True, "t_gelu": False, **SMALL_HT})],
    ),
    "htdemucs-bag": lambda r: run_demucs(
        r, "htdemucs-bag",
        [("HTDemucs", {"sources": ["drums", "vocals"], "t_layers": 1, **SMALL_HT}), ("HTDemucs", {"sources": ["drums", "vocals"], "t_layers": 2, **SMALL_HT})],
        weights=[[1.0, 0.0], [0.5, 1.0]],
    ),
    "htdemucs-bare": lambda r: run_msst(r, "htdemucs-bare", "htdemucs", bare_htdemucs()),
    "hdemucs": lambda r: run_demucs(r, "hdemucs", [("HDemucs", {"sources": STEMS[:2], **SMALL_H})]),
    "hdemucs-old": lambda r: run_demucs(r, "hdemucs-old", [("HDemucs", {"sources": STEMS[:2], "hybrid_old": True, "dconv_lstm": 9, "dconv_mode": 3, **{k: v for k, v in SMALL_H.items() if k != "dconv_lstm"}})]),
    "mdx23c": lambda r: run_msst(r, "mdx23c", "mdx23c", msst_config(mdx23c(), ["vocals", "other"], 256 * 127, overlap=4)),
    "mdx23c-target": lambda r: run_msst(
        r, "mdx23c-target", "mdx23c",
        {**(c := msst_config(mdx23c(num_scales=2, num_blocks_per_scale=1, act="relu"), ["vocals", "other"], 256 * 131)), "training": {**c["training"], "target_instrument": "vocals"}},
    ),
    "scnet": lambda r: run_msst(r, "scnet", "scnet", msst_config(scnet(), STEMS, 2 * 16000, overlap=2)),
    "scnet-normalized": lambda r: run_msst(r, "scnet-normalized", "scnet", msst_config(scnet(band_SR=[0.225, 0.372, 0.403]), STEMS, 40000, normalize=True)),
    "scnet-masked": lambda r: run_msst(r, "scnet-masked", "scnet_masked", msst_config(scnet(), STEMS, 2 * 16000, overlap=2)),
    "mdx-net": lambda r: run_mdx_net(r, "mdx-net", {"mdx_dim_f_set": 1024, "mdx_dim_t_set": 6, "mdx_n_fft_scale_set": 7680, "compensate": 1.035, "primary_stem": "Vocals"}),
}

# As large as the published networks, and not among the golden files.
PUBLISHED = {
    "htdemucs_6s": lambda r: run_demucs(
        r, "htdemucs_6s",
        [("HTDemucs", {"sources": [*STEMS, "guitar", "piano"], "bottom_channels": 0, "dconv_mode": 3, "segment": 7.8})],
        rate=44100,
    ),
    "htdemucs_ft": lambda r: run_demucs(
        r, "htdemucs_ft", [("HTDemucs", {"sources": STEMS, "bottom_channels": 512, "dconv_mode": 3, "segment": 7.8})], rate=44100
    ),
    "hdemucs_mmi": lambda r: run_demucs(r, "hdemucs_mmi", [("HDemucs", {"sources": STEMS, "segment": 44})], rate=44100),
    "MDX23C": lambda r: run_msst(
        r, "MDX23C", "mdx23c",
        msst_config(
            {
                "audio": {"n_fft": 8192, "hop_length": 1024, "dim_f": 4096, "dim_t": 256},
                "model": mdx23c(num_channels=128, growth=128, num_scales=5)["model"],
            },
            ["vocals", "other"], 261120, rate=44100, overlap=4,
        ),
        rate=44100,
    ),
    "SCNet_large": lambda r: run_msst(
        r, "SCNet_large", "scnet",
        msst_config(scnet((4, 64, 128, 256), 6, nfft=4096, hop_size=1024, win_size=4096, band_SR=[0.225, 0.372, 0.403]), STEMS, 485100, rate=44100),
        rate=44100,
    ),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--demucs", required=True)
    parser.add_argument("--msst", required=True)
    parser.add_argument("--uvr", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--audio")
    parser.add_argument("--time", action="store_true", help="time one chunk instead")
    parser.add_argument("--every", type=int, default=499)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    sys.path[:0] = [options.demucs, options.msst]
    torch.manual_seed(0)
    reference = Reference(options)
    for name in options.names or CASES:
        (CASES | PUBLISHED)[name](reference)


if __name__ == "__main__":
    main()
