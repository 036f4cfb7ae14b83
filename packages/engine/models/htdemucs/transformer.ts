import type { GraphBuilder, Value } from "../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../runtime/onnx/onnx-weights.ts";
import { convolve, type Scope } from "./convolutions.ts";
import { groupNorm } from "./dilated-layers.ts";

const WIDTH = 512;
const HEADS = 8;
const LAYERS = 5;
const LAYER_NORM_EPSILON = 1e-5;

/**
 * The middle of the network: spectrum `[1, 384, bins, slots]` and waveform `[1, 384, samples]` as two sequences of tokens
 * that attend in turn to themselves and to each other.
 */
export function crossTransformer(scope: Scope, spectrum: Value, waveform: Value): [Value, Value] {
  const { graph, weights } = scope;
  const [, channels, bins, slots] = spectrum.dims as [number, number, number, number];
  const resample = (name: string, value: Value) =>
    convolve(graph, value, { weight: weights.get(`${name}.weight`), bias: weights.get(`${name}.bias`) });
  // Tokens are ordered slot by slot, and by bin within a slot.
  const up = resample("channel_upsampler", graph.reshape(spectrum, [1, channels, bins * slots]));
  const grid = graph.transpose(graph.reshape(up, [1, WIDTH, bins, slots]), [0, 3, 2, 1]);
  let a = withPositions(scope, "norm_in", graph.reshape(grid, [1, slots * bins, WIDTH]), positions2d(slots, bins));
  const upT = graph.transpose(resample("channel_upsampler_t", waveform), [0, 2, 1]);
  let b = withPositions(scope, "norm_in_t", upT, positions1d(waveform.dims[2]!));
  for (let index = 0; index < LAYERS; index++) {
    const isCross = index % 2 === 1;
    const before = a;
    a = layer(scope, `layers.${index}`, a, isCross ? b : undefined);
    b = layer(scope, `layers_t.${index}`, b, isCross ? before : undefined);
  }
  const columns = graph.transpose(graph.reshape(a, [1, slots, bins, WIDTH]), [0, 3, 2, 1]);
  const down = resample("channel_downsampler", graph.reshape(columns, [1, WIDTH, bins * slots]));
  const downT = resample("channel_downsampler_t", graph.transpose(b, [0, 2, 1]));
  return [graph.reshape(down, spectrum.dims), downT];
}

function withPositions({ graph, weights }: Scope, norm: string, tokens: Value, positions: Float32Array): Value {
  const normed = layerNorm({ graph, weights }, `crosstransformer.${norm}`, tokens);
  return graph.add(normed, graph.constant(positions, tokens.dims));
}

function layer(scope: Scope, name: string, tokens: Value, others: Value | undefined): Value {
  const { graph, weights } = scope;
  const path = `crosstransformer.${name}`;
  const attended = graph.add(tokens, attention(scope, name, tokens, others));
  const normed = layerNorm(scope, `${path}.${others ? "norm3" : "norm2"}`, attended);
  const wide = linear(graph, normed, {
    weight: weights.ofNode(`/crosstransformer/${name}/linear1/MatMul`),
    bias: weights.get(`${path}.linear1.bias`),
  });
  const narrow = linear(graph, graph.contribNode("Gelu", [wide], wide.dims), scaled({
    weight: weights.ofNode(`/crosstransformer/${name}/linear2/MatMul`),
    bias: weights.get(`${path}.linear2.bias`),
  }, weights.get(`${path}.gamma_2.scale`)));
  return tokenNorm(scope, name, graph.add(attended, narrow));
}

function attention(scope: Scope, name: string, tokens: Value, others: Value | undefined): Value {
  const { graph, weights } = scope;
  const path = `crosstransformer.${name}`;
  const kind = others ? "cross_attn" : "self_attn";
  const own = layerNorm(scope, `${path}.norm1`, tokens);
  const [queries, keys, values] = others
    ? crossProjections(scope, name, own, layerNorm(scope, `${path}.norm2`, others))
    : selfProjections(scope, name, own);
  const mixed = graph.contribNode("MultiHeadAttention", [queries, keys, values], tokens.dims, { num_heads: HEADS });
  const out = weights.get(`${path}.${kind}.out_proj.weight`);
  return linear(graph, mixed, scaled({
    weight: { dims: out.dims, data: transposeSquare(out.data, WIDTH) },
    bias: weights.get(`${path}.${kind}.out_proj.bias`),
  }, weights.get(`${path}.gamma_1.scale`)));
}

function selfProjections({ graph, weights }: Scope, name: string, own: Value): Value[] {
  const weight = weights.ofNode(`/crosstransformer/${name}/self_attn/MatMul`);
  const bias = weights.get(`crosstransformer.${name}.self_attn.in_proj_bias`);
  return [0, 1, 2].map((part) => linear(graph, own, takeColumns({ weight, bias }, part * WIDTH)));
}

function crossProjections(scope: Scope, name: string, own: Value, others: Value): Value[] {
  const [query, key, value] = readCrossProjections(scope, name);
  const { graph } = scope;
  return [linear(graph, own, query!), linear(graph, others, key!), linear(graph, others, value!)];
}

/** The exporter folded the matrices of one branch into two and left those of the other as they were. */
function readCrossProjections({ weights }: Scope, name: string): Linear[] {
  const path = `crosstransformer.${name}.cross_attn.in_proj`;
  if (weights.has(`${path}_weight`)) {
    const { data } = weights.get(`${path}_weight`);
    const bias = weights.get(`${path}_bias`).data;
    return [0, 1, 2].map((part) => {
      const rows = data.subarray(part * WIDTH ** 2, (part + 1) * WIDTH ** 2);
      return {
        weight: { dims: [WIDTH, WIDTH], data: transposeSquare(rows, WIDTH) },
        bias: { dims: [WIDTH], data: bias.slice(part * WIDTH, (part + 1) * WIDTH) },
      };
    });
  }
  const node = (op: string) => weights.ofNode(`/crosstransformer/${name}/cross_attn/${op}`);
  const both = { weight: node("MatMul_1"), bias: node("Add_1") };
  return [{ weight: node("MatMul"), bias: node("Add") }, takeColumns(both, 0), takeColumns(both, WIDTH)];
}

/** Weight as `[inputs, outputs]`. */
type Linear = { weight: Weight; bias: Weight };

function takeColumns({ weight, bias }: Linear, from: number): Linear {
  const [inputs, outputs] = weight.dims as [number, number];
  const data = new Float32Array(inputs * WIDTH);
  for (let row = 0; row < inputs; row++) {
    data.set(weight.data.subarray(row * outputs + from, row * outputs + from + WIDTH), row * WIDTH);
  }
  return { weight: { dims: [inputs, WIDTH], data }, bias: { dims: [WIDTH], data: bias.data.slice(from, from + WIDTH) } };
}

/** With the layer's scale multiplied in. */
function scaled({ weight, bias }: Linear, scale: Weight): Linear {
  const outputs = bias.data.length;
  return {
    weight: { dims: weight.dims, data: weight.data.map((value, at) => value * scale.data[at % outputs]!) },
    bias: { dims: bias.dims, data: bias.data.map((value, at) => value * scale.data[at]!) },
  };
}

function transposeSquare(data: Float32Array, size: number): Float32Array {
  return data.map((_, at) => data[(at % size) * size + Math.floor(at / size)]!);
}

export const TUNE = { int8: process.env.INT8 === "1" };

function linear(graph: GraphBuilder, input: Value, { weight, bias }: Linear): Value {
  const [inputs, outputs] = weight.dims as [number, number];
  const dims = [...input.dims.slice(0, -1), outputs];
  if (TUNE.int8) {
    const q = new Int8Array(inputs * outputs), s = new Float32Array(outputs);
    for (let o = 0; o < outputs; o++) {
      let max = 0;
      for (let i = 0; i < inputs; i++) max = Math.max(max, Math.abs(weight.data[i * outputs + o]!));
      s[o] = max / 127 || 1;
      for (let i = 0; i < inputs; i++) q[i * outputs + o] = Math.round(weight.data[i * outputs + o]! / s[o]!);
    }
    return graph.contribNode("DynamicQuantizeMatMul", [input, graph.bytes(q, [inputs, outputs]), graph.constant(s, [outputs]), graph.bytes(new Int8Array(outputs), [outputs]), graph.constant(bias.data, [outputs])], dims);
  }
  const product = graph.node("MatMul", [input, graph.constant(weight.data, weight.dims)], dims);
  return graph.add(product, graph.constant(bias.data, [outputs]));
}

function layerNorm({ graph, weights }: Scope, path: string, tokens: Value): Value {
  const constants = ["weight", "bias"].map((part) => graph.constant(weights.get(`${path}.${part}`).data, [WIDTH]));
  return graph.node("LayerNormalization", [tokens, ...constants], tokens.dims, {
    epsilon: { float: LAYER_NORM_EPSILON },
  });
}

/** A norm over the whole sequence; scale and shift run along the last axis. */
function tokenNorm({ graph, weights }: Scope, name: string, tokens: Value): Value {
  const node = (op: string) => weights.ofNode(`/crosstransformer/${name}/norm_out/${op}`);
  const [, count] = tokens.dims as [number, number, number];
  const flat = graph.reshape(tokens, [1, 1, count * WIDTH]);
  const one = graph.constant(Float32Array.of(1), [1]);
  const zero = graph.constant(Float32Array.of(0), [1]);
  const normed = graph.node("InstanceNormalization", [flat, one, zero], flat.dims, { epsilon: { float: LAYER_NORM_EPSILON } });
  const shaped = graph.reshape(normed, tokens.dims);
  return graph.add(graph.mul(shaped, graph.constant(node("Mul").data, [WIDTH])), graph.constant(node("Add").data, [WIDTH]));
}

function positions1d(length: number): Float32Array {
  const half = WIDTH / 2;
  const positions = new Float32Array(length * WIDTH);
  for (let at = 0; at < length; at++) {
    for (let k = 0; k < half; k++) {
      const phase = at / 10_000 ** (k / (half - 1));
      positions[at * WIDTH + k] = Math.cos(phase);
      positions[at * WIDTH + half + k] = Math.sin(phase);
    }
  }
  return positions;
}

/** The first half of the width tells the slot, the second the bin; sine and cosine alternate. */
function positions2d(slots: number, bins: number): Float32Array {
  const half = WIDTH / 2;
  const positions = new Float32Array(slots * bins * WIDTH);
  for (let slot = 0; slot < slots; slot++) {
    for (let bin = 0; bin < bins; bin++) {
      const row = positions.subarray((slot * bins + bin) * WIDTH, (slot * bins + bin + 1) * WIDTH);
      for (let k = 0; k < half; k += 2) {
        const rate = Math.exp((-k * Math.log(10_000)) / half);
        row[k] = Math.sin(slot * rate);
        row[k + 1] = Math.cos(slot * rate);
        row[half + k] = Math.sin(bin * rate);
        row[half + k + 1] = Math.cos(bin * rate);
      }
    }
  }
  return positions;
}
