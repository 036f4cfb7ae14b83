import type { GraphBuilder, Value } from "../../runtime/onnx/graph-builder.ts";
import type { OnnxWeights, Weight } from "../../runtime/onnx/onnx-weights.ts";
import { dilatedLayers } from "./dilated-layers.ts";

const STRIDE = 4;

/** What the layers of both branches are written from: `[1, channels, bins, slots]` or `[1, channels, samples]`. */
export type Scope = { graph: GraphBuilder; weights: OnnxWeights };

/** Down by four: convolution, GELU, residual layers, gated rewrite. The path is `encoder.0`, `tencoder.0`, … */
export function encoderLayer(scope: Scope, path: string, input: Value): Value {
  const { graph, weights } = scope;
  const rank = input.dims.length - 2;
  // The waveform is filled up with zeros to a multiple of the stride; the spectrum always is one.
  const missing = (STRIDE - (input.dims[2]! % STRIDE)) % STRIDE;
  const conv = convolve(graph, input, {
    weight: weights.get(`${path}.conv.weight`),
    bias: weights.get(`${path}.conv.bias`),
    strides: rank === 1 ? [STRIDE] : [STRIDE, 1],
    pads: rank === 1 ? [2, 2 + missing] : [2, 0, 2, 0],
  });
  const residual = dilatedLayers(scope, path, graph.contribNode("Gelu", [conv], conv.dims));
  return gatedRewrite(scope, path, residual);
}

/** Up by four: skip, gated rewrite, residual layers, transposed convolution; GELU but for the last layer. */
export function decoderLayer(
  scope: Scope,
  path: string,
  layer: { input: Value; skip: Value; length: number; isLast: boolean },
): Value {
  const { graph } = scope;
  const gated = gatedRewrite(scope, path, graph.add(layer.input, layer.skip));
  const residual = dilatedLayers(scope, path, gated);
  const raised = transposedConvolution(scope, path, residual, layer.length);
  return layer.isLast ? raised : graph.contribNode("Gelu", [raised], raised.dims);
}

/** a · σ(b) with a and b as convolutions of their own: nothing has to be split, and σ is fused into the second. */
function gatedRewrite({ graph, weights }: Scope, path: string, input: Value): Value {
  const weight = weights.get(`${path}.rewrite.weight`);
  const bias = weights.get(`${path}.rewrite.bias`);
  const margins = weight.dims.slice(2).map((size) => (size - 1) / 2);
  const [values, gates] = [0, 1].map((index) =>
    convolve(graph, input, {
      weight: takeHalf(weight, index),
      bias: takeHalf(bias, index),
      pads: [...margins, ...margins],
    }),
  );
  return graph.mul(values!, graph.node("Sigmoid", [gates!], gates!.dims));
}

function takeHalf({ dims, data }: Weight, index: number): Weight {
  const size = data.length / 2;
  return { dims: [dims[0]! / 2, ...dims.slice(1)], data: data.subarray(index * size, (index + 1) * size) };
}

export function convolve(
  graph: GraphBuilder,
  input: Value,
  conv: { weight: Weight; bias: Weight; strides?: number[]; pads?: number[]; dilations?: number[] },
): Value {
  const [channels, , ...kernel] = conv.weight.dims;
  const rank = kernel.length;
  const {
    strides = Array<number>(rank).fill(1),
    pads = Array<number>(2 * rank).fill(0),
    dilations = Array<number>(rank).fill(1),
  } = conv;
  const sizes = kernel.map((size, axis) => {
    const padded = input.dims[axis + 2]! + pads[axis]! + pads[axis + rank]!;
    return Math.floor((padded - (size - 1) * dilations[axis]! - 1) / strides[axis]!) + 1;
  });
  const constants = [conv.weight, conv.bias].map(({ data, dims }) => graph.constant(data, dims));
  return graph.node("Conv", [input, ...constants], [1, channels!, ...sizes], {
    kernel_shape: kernel,
    strides,
    pads,
    dilations,
  });
}

/**
 * A transposed convolution of kernel 8 and stride 4, without the 2 values at either end. Each of the four outputs between two
 * inputs hears two neighbours: it is written as a plain convolution to four times the channels, interleaved afterwards.
 */
function transposedConvolution({ graph, weights }: Scope, path: string, input: Value, length: number): Value {
  const bias = weights.get(`${path}.conv_tr.bias`);
  const channels = bias.data.length;
  const [, , size, ...rest] = input.dims as [number, number, number, ...number[]];
  const is2d = rest.length === 1;
  const phases = convolve(graph, input, {
    weight: toPhases(weights.get(`${path}.conv_tr.weight`)),
    bias: { dims: [channels * STRIDE], data: repeatEach(bias.data, STRIDE) },
    pads: is2d ? [1, 0, 1, 0] : [1, 1],
  });
  const apart = graph.reshape(phases, [1, channels, STRIDE, size, ...rest]);
  const woven = graph.transpose(apart, is2d ? [0, 1, 3, 2, 4] : [0, 1, 3, 2]);
  const raised = graph.reshape(woven, [1, channels, size * STRIDE, ...rest]);
  if (raised.dims[2] === length) return raised;
  const bounds = [0, length, 2].map((at) => graph.integers([at]));
  return graph.node("Slice", [raised, ...bounds], [1, channels, length, ...rest]);
}

/** Of the outputs 4j … 4j + 3 the first two hear inputs j − 1 and j, the others j and j + 1: `[tap][neighbour]`. */
const PHASE_TAPS = [
  [6, 2, undefined],
  [7, 3, undefined],
  [undefined, 4, 0],
  [undefined, 5, 1],
] as const;

/** `[in, out, 8, …]` to `[out · 4, in, 3, …]`. */
function toPhases({ dims, data }: Weight): Weight {
  const [inputs, outputs, taps, ...rest] = dims as [number, number, number, ...number[]];
  const phases = new Float32Array(outputs * STRIDE * inputs * 3);
  for (let out = 0; out < outputs; out++) {
    PHASE_TAPS.forEach((neighbours, phase) => {
      for (let from = 0; from < inputs; from++) {
        neighbours.forEach((tap, neighbour) => {
          if (tap === undefined) return;
          phases[((out * STRIDE + phase) * inputs + from) * 3 + neighbour] = data[(from * outputs + out) * taps + tap]!;
        });
      }
    });
  }
  return { dims: [outputs * STRIDE, inputs, 3, ...rest], data: phases };
}

function repeatEach(values: Float32Array, times: number): Float32Array {
  return Float32Array.from({ length: values.length * times }, (_, at) => values[Math.floor(at / times)]!);
}
