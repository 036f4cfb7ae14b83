import type { Value } from "../../../runtime/onnx/graph-builder.ts";
import type { Weight } from "../../../runtime/onnx/onnx-weights.ts";
import { convolve } from "../../convolve.ts";
import type { DemucsGraph } from "./demucs-graph.ts";

/** Number of heads and of decays; neither is among Demucs' arguments. */
const HEADS = 4;
/** What a slot's score for itself is replaced by. */
const SELF_SCORE = -100;

/**
 * Attention over `[1, channels, slots]` by content, with a penalty for the distance whose slope each slot chooses, and without a slot's own content;
 * with a residual connection.
 */
export function localAttention(scope: DemucsGraph, path: string, input: Value): Value {
  const { graph, weights } = scope;
  const [, channels, slots] = input.dims as [number, number, number];
  const size = channels / HEADS;
  const project = (name: string) =>
    convolve(graph, input, {
      weight: weights.get(`${path}.${name}.weight`),
      bias: weights.get(`${path}.${name}.bias`),
    });
  const [query, key, content] = ["query", "key", "content"].map((name) =>
    graph.reshape(project(name), [HEADS, size, slots]),
  ) as [Value, Value, Value];
  // Rows are the slots that ask, columns those that answer.
  const byQuery = graph.transpose(query, [0, 2, 1]);
  const products = graph.node("MatMul", [byQuery, key], [HEADS, slots, slots]);
  const scaled = graph.mul(products, graph.floats([1 / Math.sqrt(size)]));
  const distance = makeDistance(scope, slots);
  const slope = readSlope(scope, project("query_decay"), slots);
  const scores = graph.node("Sub", [scaled, graph.mul(slope, distance)], scaled.dims);
  const isOther = graph.node("Min", [distance, graph.floats([1])], [slots, slots]);
  const selfScores = graph.mul(
    graph.node("Sub", [graph.floats([1]), isOther], [slots, slots]),
    graph.floats([SELF_SCORE]),
  );
  const masked = graph.add(graph.mul(scores, isOther), selfScores);
  const shares = graph.node("Softmax", [masked], masked.dims, { axis: 2 });
  const mixed = graph.node("MatMul", [shares, graph.transpose(content, [0, 2, 1])], [HEADS, slots, size]);
  const joined = graph.reshape(graph.transpose(mixed, [0, 2, 1]), [1, channels, slots]);
  const projection: { weight: Weight; bias: Weight } = {
    weight: weights.get(`${path}.proj.weight`),
    bias: weights.get(`${path}.proj.bias`),
  };
  return graph.add(input, convolve(graph, joined, projection));
}

/** |s − t| for all pairs of slots. */
function makeDistance({ graph }: DemucsGraph, slots: number): Value {
  const positions = Float32Array.from({ length: slots }, (_, slot) => slot);
  const difference = graph.node(
    "Sub",
    [graph.constant(positions, [slots, 1]), graph.constant(positions, [1, slots])],
    [slots, slots],
  );
  return graph.node("Abs", [difference], difference.dims);
}

/** Σ f · σ(decay f) / 2 / √decays of each head and slot, with the decays f = 1, 2, … */
function readSlope({ graph }: DemucsGraph, decay: Value, slots: number): Value {
  const decays = decay.dims[1]! / HEADS;
  const half = graph.sigmoid(graph.reshape(decay, [HEADS, decays, slots]));
  const factors = Float32Array.from({ length: decays }, (_, at) => (at + 1) / (2 * Math.sqrt(decays)));
  const byHead = graph.node(
    "MatMul",
    [graph.transpose(half, [0, 2, 1]), graph.constant(factors, [decays, 1])],
    [HEADS, slots, 1],
  );
  return byHead;
}
