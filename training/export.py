"""Exports a network to ONNX (opset 17, free number of frames, weights stored in f16 or, with `--bytes`, in 8 bits) and checks it.

A band-split network maps `spectrum` to `stems`; a music detector maps `power` to `music`, a probability for every fourth frame.
The music analyser maps `beats` and `chords` to `pulses` and `harmony`, logits at 50 and 10 Hz.
Of the networks for speech the separator maps `spectrum` to `voices`, the one for speakers `power` to `embedding`, the one for turns `power` to `turns`.

    python3 -m training.export --weights average.pt --out model.onnx [--check]

The parameters keep their own names under `parameter.`, so training can go on from the file; what turns each into f32 behind it is
folded away when onnxruntime loads the graph: arithmetic is f32. In 8 bits a matrix has a scale for each of its columns.
"""

import argparse
import json
from dataclasses import dataclass, replace

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from training.checkpoint import load_network
from training.networks.music_analyser import BEAT_BANDS, CHORD_BANDS, RATIO
from training.networks.stft import BINS
from training.networks.voice_stft import BINS as VOICE_BINS

OPSET = 17
SMALLEST_HALF = 4096  # elements; smaller tensors (norms, biases) stay f32


@dataclass(frozen=True)
class Ends:
    """Inputs and outputs of a graph, and which of their axes are free."""

    input: str
    output: str
    shape: tuple
    input_axis: int
    output_axis: int | None
    output_frames: str = "frames"
    gives_probability: bool = False
    sums_to_input: bool = False


ENDS = {
    "band-split": Ends("spectrum", "stems", (1, 4, 87, BINS), 2, 3, sums_to_input=True),
    "music-detector": Ends("power", "music", (1, 87, BINS), 1, 1, "steps", gives_probability=True),
    "voice-split": Ends("spectrum", "voices", (1, 2, 101, VOICE_BINS), 2, 3, sums_to_input=True),
    "speaker-embedding": Ends("power", "embedding", (1, 151, VOICE_BINS), 1, None),
    "speaker-turns": Ends("power", "turns", (1, 201, VOICE_BINS), 1, 1, "steps", gives_probability=True),
}


class Probability(torch.nn.Module):
    """A detector as shipped: the calibrated probability instead of logits."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, power):
        return self.network.probability(power)


def ends_of(network):
    ends = ENDS[network.config.kind]
    return replace(ends, shape=(*ends.shape[:-1], network.config.bins)) if network.config.kind == "voice-split" else ends


def scale_of(value):
    """The quantization step for each column of a matrix [..., inputs, outputs] or row of a Linear's [outputs, inputs]."""
    axis = -1 if value.ndim == 2 else -2
    return numpy.maximum(numpy.abs(value).max(axis=axis, keepdims=True), 1e-8) / 127


def to_bytes(parameter):
    """A parameter's values after int8 quantization."""
    value = parameter.numpy()
    scale = scale_of(value)
    return torch.from_numpy(numpy.clip(numpy.round(value / scale), -127, 127) * scale)


class Analysis(torch.nn.Module):
    """The music analyser with two inputs instead of a pair."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, beats, chords):
        return self.network((beats, chords))


def analysis_inputs(steps):
    return torch.rand(1, RATIO * steps, BEAT_BANDS), torch.rand(1, steps, CHORD_BANDS)


def trace_analysis(network, path):
    names = {"input_names": ["beats", "chords"], "output_names": ["pulses", "harmony"]}
    free = {name: {1: "slots" if name in ("beats", "pulses") else "steps"} for name in sum(names.values(), [])}
    torch.onnx.export(Analysis(network), analysis_inputs(47), path, opset_version=OPSET, dynamic_axes=free, do_constant_folding=False, dynamo=False, **names)


def trace(network, path):
    if network.config.kind == "music-analyser":
        return trace_analysis(network, path)
    ends = ends_of(network)
    module = Probability(network) if ends.gives_probability else network
    free = {ends.input: {ends.input_axis: "frames"}}
    if ends.output_axis is not None:
        free[ends.output] = {ends.output_axis: ends.output_frames}
    torch.onnx.export(
        module, (torch.rand(ends.shape),), path, opset_version=OPSET, input_names=[ends.input], output_names=[ends.output],
        dynamic_axes=free, do_constant_folding=False,
        **({"dynamo": False} if int(torch.__version__.split(".")[0]) >= 2 else {}),
    )


def rename_parameters(model, network):
    """The tracer transposes or folds some weights; those it kept are renamed, the others matched by value."""
    names = dict(network.named_parameters())
    for tensor in model.graph.initializer:
        name = tensor.name[len("network.") :] if tensor.name.startswith("network.") else tensor.name
        if name in names:
            rename_everywhere(model, tensor.name, f"parameter.{name}")
            tensor.name = f"parameter.{name}"


def rename_everywhere(model, old, new):
    for node in model.graph.node:
        for at, name in enumerate(node.input):
            if name == old:
                node.input[at] = new


def half_tensors(name, value):
    cast = helper.make_node("Cast", [name], [f"{name}.f32"], to=TensorProto.FLOAT)
    return [numpy_helper.from_array(value.astype(numpy.float16), name)], [cast]


def byte_tensors(name, value):
    """int8 values and a scale per column."""
    scale = scale_of(value)
    levels = numpy.clip(numpy.round(value / scale), -127, 127).astype(numpy.int8)
    tensors = [numpy_helper.from_array(levels, name), numpy_helper.from_array(scale.astype(numpy.float32), f"{name}.scale")]
    cast = helper.make_node("Cast", [name], [f"{name}.levels"], to=TensorProto.FLOAT)
    return tensors, [cast, helper.make_node("Mul", [f"{name}.levels", f"{name}.scale"], [f"{name}.f32"])]


def store_small(model, in_bytes):
    """Replaces each large parameter by a smaller form and the nodes that restore it."""
    unpacking, tensors = [], []
    for tensor in model.graph.initializer:
        value = numpy_helper.to_array(tensor)
        if value.dtype != numpy.float32 or value.size < SMALLEST_HALF or not tensor.name.startswith("parameter."):
            tensors.append(tensor)
            continue
        pack = byte_tensors if in_bytes and value.ndim >= 2 else half_tensors
        packed, nodes = pack(tensor.name, value)
        rename_everywhere(model, tensor.name, f"{tensor.name}.f32")
        unpacking += nodes
        tensors += packed
    nodes = unpacking + list(model.graph.node)
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(tensors)


def shorten_names(model):
    """The tracer's scoped names take 0.3 MB of the file."""
    keep = {tensor.name for part in (model.graph.initializer, model.graph.input, model.graph.output) for tensor in part}
    short = {}
    for node in model.graph.node:
        node.name, node.doc_string = "", ""
        for names in (node.input, node.output):
            for at, name in enumerate(names):
                if name and name not in keep:
                    names[at] = short.setdefault(name, f"t{len(short)}")
    del model.graph.value_info[:]


def without_classes(network):
    """The classifier over training speakers is not needed after training."""
    if getattr(network.config, "classes", 0):
        del network.classes
        network.config = replace(network.config, classes=0)
    return network


def export(weights, path, in_bytes=False):
    network = without_classes(load_network(weights)).eval()
    for layer in network.modules():
        if hasattr(layer, "in_plain_operators"):
            layer.in_plain_operators = True
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.numel() >= SMALLEST_HALF:
                parameter.copy_(to_bytes(parameter) if in_bytes and parameter.dim() >= 2 else parameter.half().float())
    trace(network, path)
    model = onnx.load(path)
    rename_parameters(model, network)
    kept = {tensor.name for tensor in model.graph.initializer if tensor.name.startswith("parameter.")}
    missing = {f"parameter.{name}" for name, _ in network.named_parameters()} - kept
    if missing:
        raise RuntimeError(f"the tracer renamed {sorted(missing)[:4]}")
    store_small(model, in_bytes)
    shorten_names(model)
    del model.metadata_props[:]
    entry = model.metadata_props.add()
    entry.key, entry.value = "config", json.dumps(network.config.to_dict())
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return network


def check(network, path):
    """Relative difference between ONNX and PyTorch, and for stems how far their sum is from the mix."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    if network.config.kind == "music-analyser":
        for steps in (31, 300):
            beats, chords = analysis_inputs(steps)
            results = session.run(None, {"beats": beats.numpy(), "chords": chords.numpy()})
            with torch.no_grad():
                expected = [part.numpy() for part in network((beats, chords))]
            print(f"{steps} steps: against PyTorch", [f"{numpy.linalg.norm(a - b) / numpy.linalg.norm(b):.1e}" for a, b in zip(results, expected, strict=True)])
        return
    ends = ends_of(network)
    reference = network.probability if ends.gives_probability else network
    for frames in (65, 259):
        shape = list(ends.shape)
        shape[ends.input_axis] = frames
        given = torch.randn(shape) * torch.logspace(1, -2, shape[-1])
        given = given.square() if ends.input == "power" else given
        result = session.run(None, {ends.input: given.numpy()})[0]
        with torch.no_grad():
            expected = reference(given).numpy()
        print(f"{frames} frames: against PyTorch {numpy.linalg.norm(result - expected) / numpy.linalg.norm(expected):.1e}")
        if ends.sums_to_input:
            print(f"sum against mix {numpy.abs(result.sum(1) - given.numpy()).max() / given.abs().max():.1e}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--bytes", action="store_true", help="8 bits a weight")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    network = export(options.weights, options.out, options.bytes)
    if options.check:
        check(network, options.out)


if __name__ == "__main__":
    main()
