import type { GraphBuilder, Value } from "../../../runtime/onnx/graph-builder.ts";
import type { QuantizedWeight, WhisperWeights } from "./whisper-weights.ts";

/** The head size of all Whisper networks. */
export const HEAD_WIDTH = 64;

const NORM_EPSILON = 1e-5;

/** A graph under construction and the file its weights come from. On GPUs all products are float: there is no int8 kernel. */
export type WhisperGraph = { graph: GraphBuilder; weights: WhisperWeights; inFloats?: boolean };

export function norm({ graph, weights }: WhisperGraph, name: string, value: Value): Value {
  const [scale, shift] = [weights.floats(`${name}.weight`), weights.floats(`${name}.bias`)];
  return graph.node("LayerNormalization", [value, graph.weight(scale), graph.weight(shift)], value.dims, {
    epsilon: { float: NORM_EPSILON },
  });
}

/**
 * An int8 product, times `factor`. Activations are quantized dynamically, as in the exported graphs.
 */
export function linearLayer(scope: WhisperGraph, name: string, value: Value, factor = 1): Value {
  if (scope.inFloats) return linearInFloats(scope, name, value);
  const { graph, weights } = scope;
  const { data, dims, scale, zeroPoint } = toSigned(weights.matrix(name));
  const bias = weights.findFloats(`${name}.bias`);
  const inputs = [
    value,
    graph.quantized(data, dims),
    graph.constant(Float32Array.of(factor * scale), [1]),
    graph.quantized(Int8Array.of(zeroPoint), [1]),
    // Keys have no bias.
    ...(bias
      ? [
          graph.constant(
            bias.data.map((shift) => factor * shift),
            bias.dims,
          ),
        ]
      : []),
  ];
  return graph.contribNode("DynamicQuantizeMatMul", inputs, value.dims.with(-1, dims[1] ?? 0));
}

function linearInFloats({ graph, weights }: WhisperGraph, name: string, value: Value): Value {
  const matrix = weights.matrix(name);
  const bias = weights.findFloats(`${name}.bias`);
  const dims = value.dims.with(-1, matrix.dims[1] ?? 0);
  const product = graph.node("MatMul", [value, graph.constant(toFloats(matrix), matrix.dims)], dims);
  return bias ? graph.add(product, graph.weight(bias)) : product;
}

/** The feed-forward part of each layer. */
export function feedForward(scope: WhisperGraph, layer: string, value: Value): Value {
  const normed = norm(scope, `${layer}.final_layer_norm`, value);
  const wide = scope.graph.gelu(linearLayer(scope, `${layer}.fc1`, normed));
  return scope.graph.add(value, linearLayer(scope, `${layer}.fc2`, wide));
}

/** The same weights as signed values: int8 kernels (VNNI/AMX) are up to four times faster with them. */
function toSigned({ data, zeroPoint, ...rest }: QuantizedWeight): QuantizedWeight & { data: Int8Array } {
  if (data instanceof Int8Array) return { data, zeroPoint, ...rest };
  const signed = new Int8Array(data.length);
  for (let n = 0; n < data.length; n++) signed[n] = (data[n] ?? 0) - 128;
  return { data: signed, zeroPoint: zeroPoint - 128, ...rest };
}

export function toFloats({ data, scale, zeroPoint }: QuantizedWeight): Float32Array {
  const floats = new Float32Array(data.length);
  for (let n = 0; n < data.length; n++) floats[n] = ((data[n] ?? 0) - zeroPoint) * scale;
  return floats;
}
