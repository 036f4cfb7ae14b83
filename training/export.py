"""Exports a network to ONNX (opset 17, free number of frames, weights stored in f16) and checks it.

    python3 -m training.export --weights average.pt --out model.onnx [--check]

The parameters keep their own names under `parameter.`, so training can go on from the file; a Cast to f32 follows each, which
onnxruntime folds away when it loads the graph: arithmetic is f32.
"""

import argparse
import json

import numpy
import onnx
import torch
from onnx import TensorProto, helper, numpy_helper

from training.checkpoint import load_network
from training.networks.stft import BINS

OPSET = 17
SMALLEST_HALF = 4096  # elements; smaller tensors (norms, biases) stay f32


def trace(network, path):
    example = torch.randn(1, 4, 87, BINS)
    torch.onnx.export(
        network, (example,), path, opset_version=OPSET, input_names=["spectrum"], output_names=["stems"],
        dynamic_axes={"spectrum": {2: "frames"}, "stems": {3: "frames"}}, do_constant_folding=False,
        **({"dynamo": False} if int(torch.__version__.split(".")[0]) >= 2 else {}),
    )


def rename_parameters(model, network):
    """The tracer transposes or folds some weights; those it kept by name are renamed, the others are matched by value."""
    names = dict(network.named_parameters())
    for tensor in model.graph.initializer:
        if tensor.name in names:
            rename_everywhere(model, tensor.name, f"parameter.{tensor.name}")
            tensor.name = f"parameter.{tensor.name}"


def rename_everywhere(model, old, new):
    for node in model.graph.node:
        for at, name in enumerate(node.input):
            if name == old:
                node.input[at] = new


def store_half(model):
    casts, tensors = [], []
    for tensor in model.graph.initializer:
        value = numpy_helper.to_array(tensor)
        if value.dtype != numpy.float32 or value.size < SMALLEST_HALF or not tensor.name.startswith("parameter."):
            tensors.append(tensor)
            continue
        half = numpy_helper.from_array(value.astype(numpy.float16), tensor.name)
        rename_everywhere(model, tensor.name, f"{tensor.name}.f32")
        casts.append(helper.make_node("Cast", [tensor.name], [f"{tensor.name}.f32"], to=TensorProto.FLOAT))
        tensors.append(half)
    nodes = casts + list(model.graph.node)
    del model.graph.node[:], model.graph.initializer[:]
    model.graph.node.extend(nodes)
    model.graph.initializer.extend(tensors)


def shorten_names(model):
    """The tracer's scoped names are 0.3 MB of the file."""
    keep = {tensor.name for tensor in model.graph.initializer} | {"spectrum", "stems"}
    short = {}
    for node in model.graph.node:
        node.name, node.doc_string = "", ""
        for names in (node.input, node.output):
            for at, name in enumerate(names):
                if name and name not in keep:
                    names[at] = short.setdefault(name, f"t{len(short)}")
    del model.graph.value_info[:]


def export(weights, path):
    network = load_network(weights).eval()
    for layer in (*network.time_layers, *network.band_layers):
        layer.in_plain_operators = True
    with torch.no_grad():
        for parameter in network.parameters():
            if parameter.numel() >= SMALLEST_HALF:
                parameter.copy_(parameter.half().float())
    trace(network, path)
    model = onnx.load(path)
    rename_parameters(model, network)
    kept = {tensor.name for tensor in model.graph.initializer if tensor.name.startswith("parameter.")}
    missing = {f"parameter.{name}" for name, _ in network.named_parameters()} - kept
    if missing:
        raise RuntimeError(f"the tracer renamed {sorted(missing)[:4]}")
    store_half(model)
    shorten_names(model)
    del model.metadata_props[:]
    entry = model.metadata_props.add()
    entry.key, entry.value = "config", json.dumps(network.config.to_dict())
    onnx.checker.check_model(model)
    onnx.save(model, path)
    return network


def check(network, path):
    """Relative difference between ONNX and PyTorch, and how far the stems are from summing to the mix."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    for frames in (65, 259):
        spectrum = torch.randn(1, 4, frames, BINS) * torch.logspace(1, -2, BINS)
        stems = session.run(None, {"spectrum": spectrum.numpy()})[0]
        with torch.no_grad():
            expected = network(spectrum).numpy()
        distance = numpy.linalg.norm(stems - expected) / numpy.linalg.norm(expected)
        rest = numpy.abs(stems.sum(1) - spectrum.numpy()).max() / spectrum.abs().max()
        print(f"{frames} frames: against PyTorch {distance:.1e}, sum against mix {rest:.1e}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--weights", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    network = export(options.weights, options.out)
    if options.check:
        check(network, options.out)


if __name__ == "__main__":
    main()
