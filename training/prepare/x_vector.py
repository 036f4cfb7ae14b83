"""Turns Kaldi's x-vector network (egs/callhome_diarization/v2, as packaged for Vosk) into ONNX: `mfcc` and `weight` in, `embedding` out.

    python3 -m training.prepare.x_vector vosk-model-spk-0.4 weights/x-vector/model.onnx

What is linear is folded together: each batch norm into the layer behind it, centring and whitening into the last one. Weights are stored in 8 bits with a scale for each
output. Nothing is trained here.
"""

import argparse
import re
import struct
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

LAYERS = (("tdnn1", 5, 1), ("tdnn2", 3, 2), ("tdnn3", 3, 3), ("tdnn4", 1, 1), ("tdnn5", 1, 1))
"""Name, number of frames in the context, distance between them."""
OPSET = 17


def read_array(data, at):
    """A matrix ("FM rows columns …") or vector ("FV length …") in Kaldi's binary form."""
    kind, at = data[at : at + 3], at + 3
    sizes = []
    for _ in range(2 if kind == b"FM " else 1):
        sizes.append(struct.unpack("<i", data[at + 1 : at + 5])[0])
        at += 5
    return numpy.frombuffer(data, numpy.float32, int(numpy.prod(sizes)), at).reshape(sizes).astype(numpy.float64)


def read_components(data):
    """{component: {field: array or number}} of an nnet3 file."""
    found = list(re.finditer(rb"<ComponentName> (\S+) <\w+> ", data))
    ends = [match.start() for match in found[1:]] + [len(data)]
    components = {}
    for match, end in zip(found, ends):
        fields = {}
        for name in ("LinearParams", "BiasParams", "StatsMean", "StatsVar"):
            at = data.find(f"<{name}> F".encode(), match.start(), end)
            if at >= 0:
                fields[name] = read_array(data, at + len(name) + 3)
        for name in ("Epsilon", "TargetRms"):
            at = data.find(f"<{name}> ".encode(), match.start(), end)
            if at >= 0:
                start = at + len(name) + 4
                fields[name] = struct.unpack("<f", data[start : start + 4])[0]
        components[match[1].decode()] = fields
    return components


def norm_of(components, layer):
    """Scale and offset of the batch norm after a layer."""
    norm = components[f"{layer}.batchnorm"]
    scale = norm["TargetRms"] / numpy.sqrt(norm["StatsVar"] + norm["Epsilon"])
    return scale, -norm["StatsMean"] * scale


def fold(folder):
    """[(weight [outputs, inputs, taps], bias)] of the layers before the pooling, and (weight, bias) of the one after it."""
    components = read_components((folder / "final.ext.raw").read_bytes())
    before, scale, offset = [], None, None
    for layer, taps, _ in LAYERS:
        affine = components[f"{layer}.affine"]
        weight, bias = affine["LinearParams"], affine["BiasParams"]
        weight = weight.reshape(len(weight), taps, -1).transpose(0, 2, 1)
        if scale is not None:
            bias = bias + numpy.einsum("oit,i->o", weight, offset)
            weight = weight * scale[None, :, None]
        before.append((weight, bias))
        scale, offset = norm_of(components, layer)
    affine = components["tdnn6.affine"]
    weight, bias = affine["LinearParams"], affine["BiasParams"]
    half = len(scale)
    bias = bias + weight[:, :half] @ offset
    weight = weight * numpy.concatenate([scale, scale])
    centre = numpy.array((folder / "mean.vec").read_text().strip(" []\n").split(), float)
    whiten = read_array((folder / "transform.mat").read_bytes(), 2)
    return before, (whiten @ weight, whiten @ (bias - centre))


class Graph:
    def __init__(self):
        self.nodes, self.tensors = [], []

    def add(self, op, inputs, name=None, **attributes):
        name = name or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], **attributes))
        return name

    def constant(self, name, value):
        self.tensors.append(numpy_helper.from_array(value, name))
        return name

    def in_bytes(self, name, value):
        scale = numpy.maximum(numpy.abs(value).max(axis=tuple(range(1, value.ndim)), keepdims=True), 1e-8) / 127
        levels = self.constant(f"{name}.bytes", numpy.round(value / scale).astype(numpy.int8))
        return self.add("Mul", [self.add("Cast", [levels], to=TensorProto.FLOAT), self.constant(f"{name}.scale", scale.astype(numpy.float32))])


def build(before, last):
    graph = Graph()
    x = graph.add("Transpose", ["mfcc"], perm=[0, 2, 1])
    for (layer, taps, distance), (weight, bias) in zip(LAYERS, before):
        inputs = [x, graph.in_bytes(layer, weight), graph.constant(f"{layer}.bias", bias.astype(numpy.float32))]
        x = graph.add("Relu", [graph.add("Conv", inputs, kernel_shape=[taps], dilations=[distance])])
    total = graph.add("ReduceSum", ["weight", graph.constant("time", numpy.array([2]))], keepdims=1)
    share = graph.add("Div", ["weight", total])
    mean = graph.add("ReduceSum", [graph.add("Mul", [x, share]), "time"], keepdims=1)
    square = graph.add("ReduceSum", [graph.add("Mul", [graph.add("Mul", [x, x]), share]), "time"], keepdims=1)
    least = graph.constant("least", numpy.array(1e-10, numpy.float32))
    variance = graph.add("Max", [graph.add("Sub", [square, graph.add("Mul", [mean, mean])]), least])
    pooled = graph.add("Flatten", [graph.add("Concat", [mean, graph.add("Sqrt", [variance])], axis=1)])
    weight, bias = last
    matrix = graph.add("Transpose", [graph.in_bytes("tdnn6", weight)], perm=[1, 0])
    found = graph.add("Add", [graph.add("MatMul", [pooled, matrix]), graph.constant("tdnn6.bias", bias.astype(numpy.float32))])
    length = graph.add("ReduceL2", [found], axes=[1], keepdims=1)
    graph.add("Div", [found, length], "embedding")
    tensor = lambda name, shape: helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
    inputs = [tensor("mfcc", [1, "frames", 23]), tensor("weight", [1, 1, "middle"])]
    made = helper.make_graph(graph.nodes, "x-vector", inputs, [tensor("embedding", [1, len(bias)])], graph.tensors)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(model)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out")
    options = parser.parse_args()
    onnx.save(build(*fold(options.folder)), options.out)


if __name__ == "__main__":
    main()
