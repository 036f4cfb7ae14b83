import type { GraphBuilder, Value } from "../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../runtime/onnx/onnx-weights.ts";
import { convolve } from "../convolve.ts";
import { linear, transposed } from "../linear.ts";
import { biLstm } from "../lstm.ts";
import { type NetworkPart, PartBuilder } from "../network-part.ts";
import type { WeightsByName } from "../weights-by-name.ts";
import type { ScnetConfig } from "./scnet-config.ts";

type Shape = readonly number[];
type Network = { weights: WeightsByName; config: ScnetConfig };
type Scope = Network & { graph: GraphBuilder };
/** Rows of each band, before and behind its convolution. */
type Bands = { before: number[]; behind: number[] };

const NORM_EPSILON = 1e-5;

/**
 * SCNet from the spectrum `[1, planes, bins, slots]` to those of the stems, `[1, stems × planes, bins, slots]`. The encoder compresses three bands, the
 * higher the more; recurrent networks run over the bins and over the slots, on every second layer over the spectrum of the slots.
 */
export function* buildScnetParts(network: Network, spectrum: Shape): Generator<NetworkPart> {
  const { weights } = network;
  const levels = count((level) => weights.has(`encoder.${level}.globalconv.weight`));
  const skips: Shape[] = [];
  const bands: Bands[] = [];
  let last: Shape = spectrum;
  for (let level = 0; level < levels; level++) {
    const part = new PartBuilder(network);
    const input = part.input(level === 0 ? "spectrum" : `down${level}`, last);
    const encoded = encoderLayer(part, level, level === 0 ? addPositions(part, input) : input);
    skips.push(encoded.skip.dims);
    bands.push(encoded.bands);
    part.output(`skip${level}`, encoded.skip);
    // Tokens of one bin after another, each with all its slots.
    const isLast = level === levels - 1;
    const output = isLast
      ? part.graph.transpose(part.graph.reshape(encoded.output, encoded.output.dims.slice(1)), [1, 2, 0])
      : encoded.output;
    last = output.dims;
    part.output(isLast ? "tokens0" : `down${level + 1}`, output);
    yield part.build();
  }
  const layers = count((layer) => weights.has(`separation_net.dp_modules.${layer}.norm_layers.0.weight`));
  for (let layer = 0; layer < layers; layer++) {
    const part = new PartBuilder(network);
    const output = dualPathLayer(part, layer, part.input(`tokens${layer}`, last));
    last = output.dims;
    part.output(`tokens${layer + 1}`, output);
    yield part.build();
  }
  for (let level = levels - 1; level >= 0; level--) {
    const part = new PartBuilder(network);
    const isFirst = level === levels - 1;
    const input = part.input(isFirst ? `tokens${layers}` : `up${level + 1}`, last);
    const value = isFirst ? part.graph.reshape(part.graph.transpose(input, [2, 0, 1]), skips[level]!) : input;
    const skip = part.input(`skip${level}`, skips[level]!);
    const output = decoderLayer(part, { index: levels - 1 - level, value, skip, bands: bands[level]! });
    last = output.dims;
    if (level > 0) part.output(`up${level}`, output);
    else
      part.output(
        "spectra",
        weights.has(MASK) ? applyMask(part, output, part.input("spectrum", spectrum)) : output,
      );
    yield part.build();
  }
}

const MASK = "mask_layer.0.weight";

function count(has: (index: number) => boolean): number {
  let found = 0;
  while (has(found)) found += 1;
  return found;
}

/** The masked variant tells the bins apart. */
function addPositions({ graph, weights }: Scope, spectrum: Value): Value {
  return weights.has("pos_embed_f")
    ? graph.add(spectrum, graph.weight(weights.get("pos_embed_f")))
    : spectrum;
}

function encoderLayer(
  scope: Scope,
  level: number,
  input: Value,
): { output: Value; skip: Value; bands: Bands } {
  const { graph, config } = scope;
  const path = `encoder.${level}`;
  const bins = input.dims[2]!;
  const [low, middle] = config.bandShares;
  const cuts = [0, Math.ceil(bins * low), Math.ceil(bins * (low + middle)), bins];
  const bands: Bands = { before: [], behind: [] };
  const parts = config.bandStrides.map((stride, band) => {
    const [from, to] = [cuts[band]!, cuts[band + 1]!];
    const { weight, bias } = readModule(scope, `${path}.SDlayer.convs.${band}`);
    const missing = stride === 1 ? weight.dims[2]! - 1 : (stride - ((to - from) % stride)) % stride;
    const above = Math.floor(missing / 2);
    const narrow = convolve(graph, graph.slice(input, { axis: 2, from, to }), {
      weight,
      bias,
      strides: [stride, 1],
      pads: [above, 0, missing - above, 0],
    });
    bands.before.push(to - from);
    bands.behind.push(narrow.dims[2]!);
    return graph.gelu(timeModules(scope, `${path}.conv_modules.${band}`, narrow));
  });
  const rows = bands.behind.reduce((sum, size) => sum + size, 0);
  const skip = graph.node("Concat", parts, parts[0]!.dims.with(2, rows), { axis: 2 });
  return { output: sameConvolution(scope, `${path}.globalconv`, skip), skip, bands };
}

/** Residual modules over the slots of each row. */
function timeModules(scope: Scope, path: string, input: Value): Value {
  const { graph, weights } = scope;
  let value = input;
  for (let index = 0; weights.has(`${path}.layers.${index}.1.weight`); index++) {
    const name = `${path}.layers.${index}`;
    const normed = normRows(scope, `${name}.0`, value);
    const gated = gate(scope, alongSlots(readModule(scope, `${name}.1`)), normed);
    const { weight, bias } = alongSlots(readModule(scope, `${name}.3`));
    const groups = weight.dims[0]!;
    const margin = (weight.dims[3]! - 1) / 2;
    const spread = convolve(graph, gated, { weight, bias, groups, pads: [0, margin, 0, margin] });
    const again = normRows(scope, `${name}.4`, spread);
    const active = graph.mul(again, graph.sigmoid(again));
    value = graph.add(value, convolve(graph, active, alongSlots(readModule(scope, `${name}.6`))));
  }
  return value;
}

/** Normalises each row of `[1, channels, rows, slots]` by itself. */
function normRows({ graph, weights }: Scope, name: string, value: Value): Value {
  const [, channels, rows, slots] = value.dims as [number, number, number, number];
  const byRow = graph.transpose(value, [0, 2, 1, 3]);
  const flat = graph.reshape(byRow, [rows, 1, channels * slots]);
  const normed = graph.node(
    "InstanceNormalization",
    [flat, graph.floats([1]), graph.floats([0])],
    flat.dims,
    {
      epsilon: { float: NORM_EPSILON },
    },
  );
  const back = graph.transpose(graph.reshape(normed, [1, rows, channels, slots]), [0, 2, 1, 3]);
  const [scale, shift] = ["weight", "bias"].map((kind) => weights.get(`${name}.${kind}`).data);
  const byChannel = (data: Float32Array) => graph.constant(data, [channels, 1, 1]);
  return graph.add(graph.mul(back, byChannel(scale!)), byChannel(shift!));
}

type Module = { weight: Weight; bias: Weight };

function readModule({ weights }: Scope, name: string): Module {
  return { weight: weights.get(`${name}.weight`), bias: weights.get(`${name}.bias`) };
}

/** A convolution of a sequence, over the slots of a plane. */
function alongSlots({ weight, bias }: Module): Module {
  const [outputs, inputs, length] = weight.dims as [number, number, number];
  return { weight: { dims: [outputs, inputs, 1, length], data: weight.data }, bias };
}

/** a · σ(b) as two convolutions: no split needed, and σ is fused into the second. */
function gate({ graph }: Scope, module: Module, input: Value): Value {
  const margins = module.weight.dims.slice(2).map((size) => (size - 1) / 2);
  const [values, gates] = [0, 1].map((half) =>
    convolve(graph, input, {
      weight: takeHalf(module.weight, half),
      bias: takeHalf(module.bias, half),
      pads: [...margins, ...margins],
    }),
  );
  return graph.mul(values!, graph.sigmoid(gates!));
}

function takeHalf({ dims, data }: Weight, half: number): Weight {
  const size = data.length / 2;
  return { dims: dims.with(0, dims[0]! / 2), data: data.subarray(half * size, (half + 1) * size) };
}

function sameConvolution(scope: Scope, name: string, input: Value): Value {
  const module = readModule(scope, name);
  const margins = module.weight.dims.slice(2).map((size) => (size - 1) / 2);
  return convolve(scope.graph, input, { ...module, pads: [...margins, ...margins] });
}

/**
 * Tokens `[bins, slots, width]`: a recurrent network over the bins of each slot, then one over the slots of each bin, then the Fourier transform over the
 * slots or, on every second layer, its inverse. Real and imaginary parts are widths.
 */
function dualPathLayer(scope: Scope, layer: number, tokens: Value): Value {
  const { graph } = scope;
  const path = `separation_net.dp_modules.${layer}`;
  const overBins = recurrentLayer(scope, { path, index: 0 }, tokens);
  const turned = graph.transpose(overBins, [1, 0, 2]);
  const overSlots = recurrentLayer(scope, { path, index: 1 }, turned);
  const transformed = layer % 2 === 0 ? toSpectrum(graph, overSlots) : fromSpectrum(graph, overSlots);
  return graph.transpose(transformed, [1, 0, 2]);
}

/** Over the first axis of `[length, rows, width]`, with a norm before, a matrix behind and a residual connection. */
function recurrentLayer(
  scope: Scope,
  { path, index }: { path: string; index: number },
  tokens: Value,
): Value {
  const { graph, weights } = scope;
  const [length, rows, width] = tokens.dims as [number, number, number];
  const normed = normAll(scope, `${path}.norm_layers.${index}`, tokens);
  const apart = biLstm(graph, weights, { name: `${path}.lstm_layers.${index}`, input: normed });
  const hidden = apart.dims[3]!;
  const joined = graph.reshape(graph.transpose(apart, [0, 2, 1, 3]), [length, rows, 2 * hidden]);
  const { weight, bias } = readModule(scope, `${path}.linear_layers.${index}`);
  const back = linear(graph, joined, { weight: transposed(weight), bias });
  return graph.add(graph.reshape(back, [length, rows, width]), tokens);
}

/** One mean and variance for all tokens, a scale and a shift for each width. */
function normAll({ graph, weights }: Scope, name: string, tokens: Value): Value {
  const flat = graph.reshape(tokens, [1, 1, tokens.dims.reduce((product, size) => product * size, 1)]);
  const normed = graph.node(
    "InstanceNormalization",
    [flat, graph.floats([1]), graph.floats([0])],
    flat.dims,
    {
      epsilon: { float: NORM_EPSILON },
    },
  );
  const [scale, shift] = ["weight", "bias"].map((kind) => graph.weight(weights.get(`${name}.${kind}`)));
  return graph.add(graph.mul(graph.reshape(normed, tokens.dims), scale!), shift!);
}

/** `[slots, bins, width]` to `[slots / 2 + 1, bins, 2 × width]`: one matrix product, since the number of slots is no power of two. */
function toSpectrum(graph: GraphBuilder, tokens: Value): Value {
  const [slots, bins, width] = tokens.dims as [number, number, number];
  const lines = slots / 2 + 1;
  const matrix = new Float32Array(2 * lines * slots);
  const unit = 1 / Math.sqrt(slots);
  for (let line = 0; line < lines; line++) {
    for (let slot = 0; slot < slots; slot++) {
      const angle = (2 * Math.PI * ((line * slot) % slots)) / slots;
      matrix[line * slots + slot] = unit * Math.cos(angle);
      matrix[(lines + line) * slots + slot] = -unit * Math.sin(angle);
    }
  }
  const rows = graph.reshape(tokens, [slots, bins * width]);
  const product = graph.node(
    "MatMul",
    [graph.constant(matrix, [2 * lines, slots]), rows],
    [2 * lines, bins * width],
  );
  const parts = graph.transpose(graph.reshape(product, [2, lines, bins, width]), [1, 2, 0, 3]);
  return graph.reshape(parts, [lines, bins, 2 * width]);
}

function fromSpectrum(graph: GraphBuilder, tokens: Value): Value {
  const [lines, bins, doubled] = tokens.dims as [number, number, number];
  const [slots, width] = [2 * (lines - 1), doubled / 2];
  const matrix = new Float32Array(slots * 2 * lines);
  const unit = 1 / Math.sqrt(slots);
  for (let slot = 0; slot < slots; slot++) {
    for (let line = 0; line < lines; line++) {
      const angle = (2 * Math.PI * ((line * slot) % slots)) / slots;
      // All lines but the first and the last also stand for their mirror images.
      const isEnd = line === 0 || line === lines - 1;
      const weight = isEnd ? unit : 2 * unit;
      matrix[slot * 2 * lines + line] = weight * Math.cos(angle);
      matrix[slot * 2 * lines + lines + line] = isEnd ? 0 : -weight * Math.sin(angle);
    }
  }
  const parts = graph.transpose(graph.reshape(tokens, [lines, bins, 2, width]), [2, 0, 1, 3]);
  const rows = graph.reshape(parts, [2 * lines, bins * width]);
  const product = graph.node(
    "MatMul",
    [graph.constant(matrix, [slots, 2 * lines]), rows],
    [slots, bins * width],
  );
  return graph.reshape(product, [slots, bins, width]);
}

/** The fusion takes its input twice; one convolution with the sum of both halves' weights does the same. */
function decoderLayer(
  scope: Scope,
  { index, value, skip, bands }: { index: number; value: Value; skip: Value; bands: Bands },
): Value {
  const { graph } = scope;
  const path = `decoder.${index}`;
  const { weight, bias } = readModule(scope, `${path}.0.conv`);
  const fused = gate(scope, { weight: addHalves(weight), bias }, graph.add(value, skip));
  let from = 0;
  const parts = bands.behind.map((size, band) => {
    const part = graph.slice(fused, { axis: 2, from, to: from + size });
    from += size;
    const raised = raise(scope, `${path}.1.convtrs.${band}`, {
      input: part,
      stride: scope.config.bandStrides[band]!,
    });
    const length = bands.before[band]!;
    const cut = Math.floor(Math.abs(length - raised.dims[2]!) / 2);
    return graph.slice(raised, { axis: 2, from: cut, to: cut + length });
  });
  const bins = bands.before.reduce((sum, size) => sum + size, 0);
  return graph.node("Concat", parts, parts[0]!.dims.with(2, bins), { axis: 2 });
}

function addHalves({ dims, data }: Weight): Weight {
  const [outputs, inputs, ...kernel] = dims as [number, number, ...number[]];
  const half = data.length / outputs / 2;
  const sums = new Float32Array(data.length / 2);
  for (let output = 0; output < outputs; output++) {
    const start = 2 * output * half;
    for (let at = 0; at < half; at++) sums[output * half + at] = data[start + at]! + data[start + half + at]!;
  }
  return { dims: [outputs, inputs / 2, ...kernel], data: sums };
}

/** A transposed convolution along the bins. */
function raise(scope: Scope, name: string, { input, stride }: { input: Value; stride: number }): Value {
  const { graph } = scope;
  const { weight, bias } = readModule(scope, name);
  const [inputs, outputs, kernel] = weight.dims as [number, number, number, number];
  const [, , rows, slots] = input.dims as [number, number, number, number];
  if (stride === 1) {
    const pad = kernel - 1;
    return convolve(graph, input, { weight: toConvolution(weight), bias, pads: [pad, 0, pad, 0] });
  }
  if (stride === kernel) {
    const matrix = transposed({ dims: [inputs, outputs * kernel], data: weight.data });
    const apart = convolve(graph, input, {
      weight: { dims: [...matrix.dims, 1, 1], data: matrix.data },
      bias: {
        dims: [outputs * kernel],
        data: Float32Array.from({ length: outputs * kernel }, (_, at) => bias.data[Math.floor(at / kernel)]!),
      },
    });
    const woven = graph.transpose(graph.reshape(apart, [outputs, kernel, rows, slots]), [0, 2, 1, 3]);
    return graph.reshape(woven, [1, outputs, rows * kernel, slots]);
  }
  const length = (rows - 1) * stride + kernel;
  return graph.node(
    "ConvTranspose",
    [input, graph.weight(weight), graph.weight(bias)],
    [1, outputs, length, slots],
    {
      kernel_shape: [kernel, 1],
      strides: [stride, 1],
    },
  );
}

/** The convolution that equals a transposed one with the stride 1. */
function toConvolution({ dims, data }: Weight): Weight {
  const [inputs, outputs, kernel] = dims as [number, number, number, number];
  const turned = new Float32Array(data.length);
  for (let input = 0; input < inputs; input++)
    for (let output = 0; output < outputs; output++)
      for (let tap = 0; tap < kernel; tap++)
        turned[(output * inputs + input) * kernel + kernel - 1 - tap] =
          data[(input * outputs + output) * kernel + tap]!;
  return { dims: [outputs, inputs, kernel, 1], data: turned };
}

/** The masked variant makes complex masks of the mixture's spectrum. */
function applyMask(scope: Scope, value: Value, spectrum: Value): Value {
  const { graph } = scope;
  const hidden = graph.gelu(sameConvolution(scope, "mask_layer.0", value));
  const raw = sameConvolution(scope, "mask_layer.2", hidden);
  const mask = graph.node("Tanh", [raw], raw.dims);
  const [, planes, bins, slots] = mask.dims as [number, number, number, number];
  const channels = spectrum.dims[1]! / 2;
  const stems = planes / 2 / channels;
  const split = (value: Value, rows: number) => {
    const pairs = graph.reshape(value, [rows, channels, 2, bins * slots]);
    return [0, 1].map((part) => graph.slice(pairs, { axis: 2, from: part, to: part + 1 })) as [Value, Value];
  };
  const [re, im] = split(spectrum, 1);
  const [maskRe, maskIm] = split(mask, stems);
  const products = [
    graph.node("Sub", [graph.mul(maskRe, re), graph.mul(maskIm, im)], maskRe.dims),
    graph.add(graph.mul(maskRe, im), graph.mul(maskIm, re)),
  ];
  const joined = graph.node("Concat", products, [stems, channels, 2, bins * slots], { axis: 2 });
  return graph.reshape(joined, mask.dims);
}
