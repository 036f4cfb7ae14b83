import type { Value } from "../../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../../runtime/onnx/onnx-weights.ts";
import { convolve } from "../../convolve.ts";
import type { LayerPlan } from "../demucs-config.ts";
import type { DemucsGraph } from "./demucs-graph.ts";
import { dilatedLayers } from "./dilated-layers.ts";
import { normGroups } from "./group-norm.ts";
import { convolvePoints, fromTileRows, isTiled, toPoints } from "./winograd.ts";

/**
 * Downsamples: convolution, norm, GELU, residual layers, gated rewrite. The path is `encoder.0`, `tencoder.0`, … `joins` is the waveform's branch, where
 * it joins the spectrum's.
 */
export function encoderLayer(
  scope: DemucsGraph,
  path: string,
  { plan, input, joins }: { plan: LayerPlan; input: Value; joins?: Value | undefined },
): Value {
  const { graph, weights } = scope;
  const { stride, pad } = plan;
  const placed = plan.isSpectrum ? input : toSequence(scope, input);
  // The waveform is zero-padded to a multiple of the stride; the spectrum's height always is one.
  const missing = plan.isSpectrum ? 0 : (stride - (placed.dims[2]! % stride)) % stride;
  const conv = convolve(graph, placed, {
    weight: weights.get(`${path}.conv.weight`),
    bias: weights.get(`${path}.conv.bias`),
    strides: plan.isSpectrum ? [stride, 1] : [stride],
    pads: plan.isSpectrum ? [pad, 0, pad, 0] : [pad, pad + missing],
  });
  if (plan.isEmpty) return conv;
  const joined = joins === undefined ? conv : graph.add(conv, graph.reshape(joins, conv.dims));
  const active = graph.gelu(norm(scope, `${path}.norm1`, joined));
  return gatedRewrite(scope, path, "norm2", dilatedLayers(scope, path, active));
}

/** What a decoder layer returns, and what it had before its last convolution: the waveform's branch begins with that. */
export type Decoded = { value: Value; narrow: Value };

/**
 * Upsamples: skip connection, gated rewrite, residual layers, transposed convolution, norm; GELU except in the last layer. The innermost layer of a
 * network without a transformer has only the skip connection as input. `length` is that of the encoder layer's input.
 */
export function decoderLayer(
  scope: DemucsGraph,
  path: string,
  layer: { plan: LayerPlan; input?: Value | undefined; skip?: Value; length: number; isLast: boolean },
): Decoded {
  const { graph } = scope;
  const { plan, input, skip, isLast } = layer;
  const sum = input && skip ? graph.add(toShape(scope, input, skip.dims), skip) : (skip ?? input!);
  const placed = plan.isSpectrum ? sum : toSequence(scope, sum);
  const narrow = plan.isEmpty
    ? placed
    : dilatedLayers(scope, path, gatedRewrite(scope, path, "norm1", placed));
  const value = raise(scope, path, { plan, input: narrow, length: layer.length, isLast });
  return { value: isLast ? value : graph.gelu(value), narrow };
}

/** Spectrum layers hand one bin on to the layers over time, and the reverse. */
function toSequence({ graph }: DemucsGraph, value: Value): Value {
  const [rows, channels, bins = 1, slots] = value.dims;
  return slots === undefined ? value : graph.reshape(value, [rows!, channels! * bins, slots]);
}

function toShape({ graph }: DemucsGraph, value: Value, dims: readonly number[]): Value {
  return value.dims.length === dims.length ? value : graph.reshape(value, dims);
}

function norm({ graph, weights, config }: DemucsGraph, name: string, value: Value): Value {
  if (!weights.has(`${name}.weight`)) return value;
  const [scale, shift] = ["weight", "bias"].map((kind) => weights.get(`${name}.${kind}`)) as [Weight, Weight];
  return normGroups(graph, value, { groups: config.normGroups, scale, shift });
}

/** a · σ(b) with a and b as two convolutions: no split needed, and σ is fused into the second. Norms need both as one. */
function gatedRewrite(scope: DemucsGraph, path: string, normName: string, input: Value): Value {
  const { graph, weights, sparesProducts = false } = scope;
  if (!weights.has(`${path}.rewrite.weight`)) return input;
  const weight = weights.get(`${path}.rewrite.weight`);
  const bias = weights.get(`${path}.rewrite.bias`);
  const margins = weight.dims.slice(2).map((size) => (size - 1) / 2);
  const pads = [...margins, ...margins];
  if (weights.has(`${path}.${normName}.weight`)) {
    const both = norm(scope, `${path}.${normName}`, convolve(graph, input, { weight, bias, pads }));
    const channels = both.dims[1]! / 2;
    const [values, gates] = [0, 1].map((half) =>
      graph.slice(both, { axis: 1, from: half * channels, to: (half + 1) * channels }),
    );
    return graph.mul(values!, graph.sigmoid(gates!));
  }
  const halves = [0, 1].map((half) => ({ weight: takeHalf(weight, half), bias: takeHalf(bias, half) }));
  const gate = (convolveHalf: (half: { weight: Weight; bias: Weight }) => Value) => {
    const [values, gates] = halves.map(convolveHalf);
    return graph.mul(values!, graph.sigmoid(gates!));
  };
  if (sparesProducts && isTiled(weight, input)) {
    const points = toPoints(graph, input);
    return fromTileRows(
      graph,
      gate((half) => convolvePoints(graph, points, half)),
    );
  }
  return gate((half) => convolve(graph, input, { ...half, pads }));
}

function takeHalf({ dims, data }: Weight, half: number): Weight {
  const size = data.length / 2;
  return { dims: [dims[0]! / 2, ...dims.slice(1)], data: data.subarray(half * size, (half + 1) * size) };
}

/** The transposed convolution and its norm, cut to the length of the encoder layer's input. */
function raise(
  scope: DemucsGraph,
  path: string,
  { plan, input, length, isLast }: { plan: LayerPlan; input: Value; length: number; isLast: boolean },
): Value {
  const { graph, weights } = scope;
  const hasNorm = weights.has(`${path}.norm2.weight`);
  if (plan.isSpectrum && plan.pad === 0)
    return norm(scope, `${path}.norm2`, spreadBin(scope, path, { input, bins: plan.kernel }));
  // A norm covers what is cut afterwards.
  const phases = scope.sparesProducts || hasNorm ? makePairs(plan.stride) : makeTriples(plan.stride);
  const woven = transposedConvolution(scope, path, { input, phases, plan });
  const [, channels, size, stride, ...rest] = woven.dims as [number, number, number, number, ...number[]];
  // The network's output keeps its shape: onnxruntime would copy it to reshape it.
  if (isLast && !hasNorm && size * stride === length && phases.margin === 0) return woven;
  const raised = norm(scope, `${path}.norm2`, graph.reshape(woven, [1, channels, size * stride, ...rest]));
  return graph.slice(raised, { axis: 2, from: phases.margin, to: phases.margin + length });
}

/** From the only bin to all of a kernel's. */
function spreadBin(
  { graph, weights }: DemucsGraph,
  path: string,
  { input, bins }: { input: Value; bins: number },
): Value {
  const weight = weights.get(`${path}.conv_tr.weight`);
  const bias = weights.get(`${path}.conv_tr.bias`);
  const channels = bias.data.length;
  const inputs = weight.dims[0]!;
  const [, , , slots] = input.dims as [number, number, number, number];
  const turned = new Float32Array(weight.data.length);
  const outputs = channels * bins;
  for (let at = 0; at < inputs; at++) {
    for (let output = 0; output < outputs; output++)
      turned[output * inputs + at] = weight.data[at * outputs + output]!;
  }
  const spread = convolve(graph, input, {
    weight: { dims: [outputs, inputs, 1, 1], data: turned },
    bias: { dims: [outputs], data: repeatEach(bias.data, bins) },
  });
  return graph.reshape(spread, [1, channels, bins, slots]);
}

/**
 * A transposed convolution whose kernel is two strides long. Each of the outputs of a stride depends on two inputs, so a plain convolution computes them
 * as a stride times the channels, and they are interleaved afterwards: half the time of onnxruntime's own operator. `phases.margin` outputs at the
 * start and all after a stride times the inputs are to be cut.
 */
function transposedConvolution(
  { graph, weights }: DemucsGraph,
  path: string,
  { input, phases, plan }: { input: Value; phases: Phases; plan: LayerPlan },
): Value {
  const { stride, isSpectrum } = plan;
  const bias = weights.get(`${path}.conv_tr.bias`);
  const channels = bias.data.length;
  const quarters = convolve(graph, input, {
    weight: toPhases(weights.get(`${path}.conv_tr.weight`), stride, phases),
    bias: { dims: [channels * stride], data: repeatEach(bias.data, stride) },
    pads: isSpectrum ? [1, 0, 1, 0] : [1, 1],
  });
  const apart = graph.reshape(quarters, [1, channels, stride, ...quarters.dims.slice(2)]);
  return graph.transpose(apart, isSpectrum ? [0, 1, 3, 2, 4] : [0, 1, 3, 2]);
}

/** The kernel's taps for each output of a stride, by the input they multiply, and how many outputs precede the first. */
type Phases = { taps: readonly (readonly (number | undefined)[])[]; margin: number };

/** Of a stride's outputs the first half depend on inputs j − 1 and j, the others on j and j + 1. Nothing is left to cut. */
function makeTriples(stride: number): Phases {
  const tap = (at: number) => (at >= 0 && at < 2 * stride ? at : undefined);
  const margin = stride / 2;
  const taps = Array.from({ length: stride }, (_, output) =>
    [stride, 0, -stride].map((offset) => tap(output + margin + offset)),
  );
  return { taps, margin: 0 };
}

/** Half a stride earlier, all of a stride's outputs depend on inputs j − 1 and j: a third less to multiply, and a copy to cut both ends. */
function makePairs(stride: number): Phases {
  return {
    taps: Array.from({ length: stride }, (_, output) => [output + stride, output]),
    margin: stride / 2,
  };
}

/** `[inputs, outputs, 2 · stride, …]` to `[outputs · stride, inputs, neighbours, …]`. */
function toPhases({ dims, data }: Weight, stride: number, { taps: tapsOf }: Phases): Weight {
  const [inputs, outputs, taps, ...rest] = dims as [number, number, number, ...number[]];
  const neighbours = tapsOf[0]!.length;
  const phases = new Float32Array(outputs * stride * inputs * neighbours);
  for (let output = 0; output < outputs; output++) {
    for (let input = 0; input < inputs; input++) {
      const kernel = (input * outputs + output) * taps;
      tapsOf.forEach((tapOf, phase) => {
        const row = ((output * stride + phase) * inputs + input) * neighbours;
        tapOf.forEach((tap, neighbour) => {
          if (tap !== undefined) phases[row + neighbour] = data[kernel + tap]!;
        });
      });
    }
  }
  return { dims: [outputs * stride, inputs, neighbours, ...rest], data: phases };
}

function repeatEach(values: Float32Array, times: number): Float32Array {
  return Float32Array.from({ length: values.length * times }, (_, at) => values[Math.floor(at / times)]!);
}
