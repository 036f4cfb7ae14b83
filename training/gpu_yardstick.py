"""What a GPU can do with the graphs that Stemwright runs on it: each node as PyTorch has it, replayed as a CUDA graph.

    python3 training/gpu_yardstick.py FOLDER

FOLDER is what `npm run bench gpu` was given as the second argument: NAME.onnx, NAME.input.f32 and NAME.cpu.f32, the result of CPU floats.
Prints, for each graph, the median time of a segment with the copies from and to the host, and the distance from the CPU.
"""

import json
import sys
import time
from pathlib import Path

import numpy
import onnx
import torch
import torch.nn.functional as F
from onnx import numpy_helper

RUNS = 20


def attributes(node):
    return {one.name: onnx.helper.get_attribute_value(one) for one in node.attribute}


def ints(value):
    return [int(one) for one in value.tolist()]


def conv(x, weight, bias=None, *, pads, strides=None, dilations=None, group=1, **_):
    axes = weight.dim() - 2
    begin, end = pads[:axes], pads[axes:]
    both = [side for pair in zip(reversed(begin), reversed(end)) for side in pair]
    run = F.conv2d if axes == 2 else F.conv1d
    return run(F.pad(x, both), weight, bias, strides or 1, 0, dilations or 1, group)


def attend(query, key, value, *, num_heads):
    def heads(tokens):
        return tokens.unflatten(-1, (num_heads, -1)).transpose(1, 2)

    mixed = F.scaled_dot_product_attention(heads(query), heads(key), heads(value))
    return mixed.transpose(1, 2).flatten(2)


def rotate(tokens, _, cosine, sine):
    pairs = cosine.shape[1]
    split = tokens.unflatten(-1, (-1, 2, pairs))
    length = tokens.shape[1]
    first, second = split[..., 0, :], split[..., 1, :]
    cosine, sine = cosine[:length, None], sine[:length, None]
    turned = torch.stack((first * cosine - second * sine, second * cosine + first * sine), -2)
    return turned.flatten(-3)


def cut(x, starts, ends, axes):
    for start, end, axis in zip(ints(starts), ints(ends), ints(axes)):
        x = x.narrow(axis, start, end - start)
    return x


def pad(x, sizes):
    sizes = ints(sizes)
    half = len(sizes) // 2
    return F.pad(x, [side for axis in reversed(range(half)) for side in (sizes[axis], sizes[axis + half])])


def reduce_mean(x, *, axes=None, keepdims=1):
    return x.mean(dim=axes if axes else list(range(x.dim())), keepdim=bool(keepdims))


OPERATORS = {
    "Conv": conv,
    "MultiHeadAttention": attend,
    "RotaryEmbedding": rotate,
    "Slice": cut,
    "Pad": pad,
    "ReduceMean": reduce_mean,
    "ReduceSumSquare": lambda x, *, axes, keepdims=1: (x * x).sum(dim=axes, keepdim=bool(keepdims)),
    "Gelu": F.gelu,
    "Sigmoid": torch.sigmoid,
    "Sqrt": torch.sqrt,
    "Reciprocal": torch.reciprocal,
    "Log": torch.log,
    "Exp": torch.exp,
    "Add": torch.add,
    "Sub": torch.sub,
    "Mul": torch.mul,
    "Div": torch.div,
    "MatMul": torch.matmul,
    "Identity": lambda x: x,
    "Concat": lambda *parts, axis: torch.cat(parts, axis),
    "Expand": lambda x, shape: x.expand(ints(shape)),
    "Reshape": lambda x, shape: x.reshape(ints(shape)),
    "Transpose": lambda x, *, perm: x.permute(perm),
    "InstanceNormalization": lambda x, scale, shift, *, epsilon: F.instance_norm(x, weight=scale, bias=shift, eps=epsilon),
    "LayerNormalization": lambda x, scale, shift, *, epsilon: F.layer_norm(x, x.shape[-1:], scale, shift, epsilon),
}


class Graph:
    def __init__(self, path, device):
        graph = onnx.load(path).graph
        self.nodes = [(OPERATORS[node.op_type], list(node.input), node.output[0], attributes(node)) for node in graph.node]
        self.constants = {}
        for one in graph.initializer:
            value = torch.from_numpy(numpy_helper.to_array(one).copy())
            # Shapes and bounds stay here: they are read while the graph is laid out.
            self.constants[one.name] = value if value.dtype == torch.int64 else value.to(device)
        self.input, self.output = graph.input[0].name, graph.output[0].name
        self.shape = [size.dim_value for size in graph.input[0].type.tensor_type.shape.dim]

    def __call__(self, sound):
        values = {**self.constants, self.input: sound}
        for operator, inputs, output, options in self.nodes:
            values[output] = operator(*(values[name] for name in inputs), **options)
        return values[self.output]


def decibels(expected, actual):
    return float(10 * numpy.log10((expected**2).sum() / ((expected - actual) ** 2).sum()))


@torch.inference_mode()
def measure(graph, sound, device):
    host = torch.from_numpy(sound).reshape(graph.shape)
    if device == "cpu":
        start = time.perf_counter()
        result = graph(host).numpy()
        return (time.perf_counter() - start) * 1000, result
    host = host.pin_memory()
    still = host.to(device)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            graph(still)
    torch.cuda.synchronize()
    recorded = torch.cuda.CUDAGraph()
    with torch.cuda.graph(recorded):
        result = graph(still)
    back = torch.empty(result.shape, pin_memory=True)
    times = []
    for _ in range(RUNS):
        torch.cuda.synchronize()
        start = time.perf_counter()
        still.copy_(host, non_blocking=True)
        recorded.replay()
        back.copy_(result, non_blocking=True)
        torch.cuda.synchronize()
        times.append((time.perf_counter() - start) * 1000)
    return sorted(times)[len(times) // 2], back.numpy()


def main(folder):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    results = []
    for path in sorted(folder.glob("*.onnx")):
        expected = numpy.fromfile(folder / f"{path.stem}.cpu.f32", dtype=numpy.float32)
        sound = numpy.fromfile(folder / f"{path.stem}.input.f32", dtype=numpy.float32)
        graph = Graph(path, device)
        for precision in ("fp32", "tf32") if device == "cuda" else ("fp32",):
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = precision == "tf32"
            milliseconds, actual = measure(graph, sound, device)
            distance = decibels(expected.astype(numpy.float64), actual.reshape(-1).astype(numpy.float64))
            results.append({"network": path.stem, "precision": precision, "ms": milliseconds, "dB": distance})
            print(f"{path.stem} {precision}: {milliseconds:.1f} ms, {distance:.1f} dB from CPU floats", flush=True)
    name = torch.cuda.get_device_name() if device == "cuda" else "cpu"
    (folder / "yardstick.json").write_text(json.dumps({"device": name, "torch": torch.__version__, "results": results}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
