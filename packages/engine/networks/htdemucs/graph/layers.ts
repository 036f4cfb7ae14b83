import type { Value } from "../../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../../runtime/onnx/onnx-weights.ts";
import { convolve } from "./convolve.ts";
import { dilatedLayers } from "./dilated-layers.ts";
import type { HtdemucsGraph } from "./htdemucs-graph.ts";
import { convolvePoints, fromTileRows, isTiled, toPoints } from "./winograd.ts";

const STRIDE = 4;

/** Downsamples by four: convolution, GELU, residual layers, gated rewrite. The path is `encoder.0`, `tencoder.0`, … */
export function encoderLayer(scope: HtdemucsGraph, path: string, input: Value): Value {
  const { graph, weights } = scope;
  const isSpectrum = input.dims.length === 4;
  // The waveform is zero-padded to a multiple of the stride; the spectrum's height always is one.
  const missing = (STRIDE - (input.dims[2]! % STRIDE)) % STRIDE;
  const conv = convolve(graph, input, {
    weight: weights.get(`${path}.conv.weight`),
    bias: weights.get(`${path}.conv.bias`),
    strides: isSpectrum ? [STRIDE, 1] : [STRIDE],
    pads: isSpectrum ? [2, 0, 2, 0] : [2, 2 + missing],
  });
  return gatedRewrite(scope, path, dilatedLayers(scope, path, graph.gelu(conv)));
}

/** Upsamples by four: skip connection, gated rewrite, residual layers, transposed convolution; GELU except in the last layer. */
export function decoderLayer(
  scope: HtdemucsGraph,
  path: string,
  layer: { input: Value; skip: Value; length: number; isLast: boolean },
): Value {
  const { graph } = scope;
  const gated = gatedRewrite(scope, path, graph.add(layer.input, layer.skip));
  const phases = scope.sparesProducts ? PAIRS : TRIPLES;
  const woven = transposedConvolution(scope, path, { input: dilatedLayers(scope, path, gated), phases });
  const [, channels, size, stride, ...rest] = woven.dims as [number, number, number, number, ...number[]];
  // The network's output keeps its shape: onnxruntime would copy it to reshape it.
  if (layer.isLast && size * stride === layer.length) return woven;
  const raised = graph.reshape(woven, [1, channels, size * stride, ...rest]);
  const cut = graph.slice(raised, { axis: 2, from: phases.margin, to: phases.margin + layer.length });
  return layer.isLast ? cut : graph.gelu(cut);
}

/** a · σ(b) with a and b as two convolutions: no split needed, and σ is fused into the second. */
function gatedRewrite(
  { graph, weights, sparesProducts = false }: HtdemucsGraph,
  path: string,
  input: Value,
): Value {
  const weight = weights.get(`${path}.rewrite.weight`);
  const bias = weights.get(`${path}.rewrite.bias`);
  const halves = [0, 1].map((half) => ({ weight: takeHalf(weight, half), bias: takeHalf(bias, half) }));
  const gate = (convolveHalf: (half: { weight: Weight; bias: Weight }) => Value) => {
    const [values, gates] = halves.map(convolveHalf);
    return graph.mul(values!, graph.sigmoid(gates!));
  };
  if (sparesProducts && isTiled(weight)) {
    const points = toPoints(graph, input);
    return fromTileRows(
      graph,
      gate((half) => convolvePoints(graph, points, half)),
    );
  }
  const margins = weight.dims.slice(2).map((size) => (size - 1) / 2);
  return gate((half) => convolve(graph, input, { ...half, pads: [...margins, ...margins] }));
}

function takeHalf({ dims, data }: Weight, half: number): Weight {
  const size = data.length / 2;
  return { dims: [dims[0]! / 2, ...dims.slice(1)], data: data.subarray(half * size, (half + 1) * size) };
}

/**
 * A transposed convolution with kernel 8 and stride 4. Each of four neighbouring outputs depends on two inputs, so a plain convolution computes them as
 * four times the channels, and they are interleaved afterwards: half the time of onnxruntime's own operator. `phases.margin` outputs at the start
 * and all after four times the inputs are to be cut.
 */
function transposedConvolution(
  { graph, weights }: HtdemucsGraph,
  path: string,
  { input, phases }: { input: Value; phases: Phases },
): Value {
  const bias = weights.get(`${path}.conv_tr.bias`);
  const channels = bias.data.length;
  const isSpectrum = input.dims.length === 4;
  const quarters = convolve(graph, input, {
    weight: toPhases(weights.get(`${path}.conv_tr.weight`), phases),
    bias: { dims: [channels * STRIDE], data: repeatEach(bias.data, STRIDE) },
    pads: isSpectrum ? [1, 0, 1, 0] : [1, 1],
  });
  const apart = graph.reshape(quarters, [1, channels, STRIDE, ...quarters.dims.slice(2)]);
  return graph.transpose(apart, isSpectrum ? [0, 1, 3, 2, 4] : [0, 1, 3, 2]);
}

/** The kernel's taps for each of four outputs, by the input they multiply, and how many outputs precede the first. */
type Phases = { taps: readonly (readonly (number | undefined)[])[]; margin: number };

/** Of outputs 4j … 4j + 3 the first two depend on inputs j − 1 and j, the others on j and j + 1. Nothing is left to cut. */
const TRIPLES: Phases = {
  taps: [
    [6, 2, undefined],
    [7, 3, undefined],
    [undefined, 4, 0],
    [undefined, 5, 1],
  ],
  margin: 0,
};

/** Outputs 4j − 2 … 4j + 1 all depend on inputs j − 1 and j: a third less to multiply, and a copy to cut two outputs at each end. */
const PAIRS: Phases = {
  taps: [
    [4, 0],
    [5, 1],
    [6, 2],
    [7, 3],
  ],
  margin: 2,
};

/** `[inputs, outputs, 8, …]` to `[outputs · 4, inputs, neighbours, …]`. */
function toPhases({ dims, data }: Weight, { taps: tapsOf }: Phases): Weight {
  const [inputs, outputs, taps, ...rest] = dims as [number, number, number, ...number[]];
  const neighbours = tapsOf[0]!.length;
  const phases = new Float32Array(outputs * STRIDE * inputs * neighbours);
  for (let output = 0; output < outputs; output++) {
    for (let input = 0; input < inputs; input++) {
      const kernel = (input * outputs + output) * taps;
      tapsOf.forEach((tapOf, phase) => {
        const row = ((output * STRIDE + phase) * inputs + input) * neighbours;
        tapOf.forEach((tap, neighbour) => {
          if (tap !== undefined) phases[row + neighbour] = data[kernel + tap]!;
        });
      });
    }
  }
  return { dims: [outputs * STRIDE, inputs, neighbours, ...rest], data: phases };
}

function repeatEach(values: Float32Array, times: number): Float32Array {
  return Float32Array.from({ length: values.length * times }, (_, at) => values[Math.floor(at / times)]!);
}
