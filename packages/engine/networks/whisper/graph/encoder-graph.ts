import { GraphBuilder, type Value } from "../../../runtime/onnx/graph-builder.ts";
import { MEL_SHAPE } from "../log-mel.ts";
import { feedForward, HEAD_WIDTH, linearLayer, norm, toFloats, type WhisperGraph } from "./layers.ts";
import { WhisperWeights } from "./whisper-weights.ts";

export type EncoderGraph = { file: Uint8Array; stateShape: readonly number[] };

/**
 * Whisper's encoder, rebuilt from its file: 30 s of `bands` to `states`. Attention is one fused operator, so the score matrix, 108 MB per layer in
 * the exported graph, is never in memory.
 */
export function makeEncoderGraph(file: Uint8Array, { inFloats }: { inFloats: boolean }): EncoderGraph {
  const scope = { graph: new GraphBuilder(), weights: new WhisperWeights(file), inFloats };
  const { graph, weights } = scope;
  const bands = graph.input("bands", [1, ...MEL_SHAPE]);
  const fine = convolve(scope, "conv1", bands, 1);
  const coarse = graph.transpose(convolve(scope, "conv2", fine, 2), [0, 2, 1]);
  let states = graph.add(coarse, graph.weight(weights.floats("embed_positions.weight")));
  for (let index = 0; index < weights.layers; index++) {
    const layer = `layers.${index}`;
    states = feedForward(scope, layer, graph.add(states, attend(scope, layer, states)));
  }
  graph.output(graph.named("states", norm(scope, "layer_norm", states)));
  return { file: graph.toBytes(), stateShape: states.dims };
}

/** Three frames wide; every `stride`th frame is kept. */
function convolve({ graph, weights }: WhisperGraph, name: string, value: Value, stride: number): Value {
  const quantized = weights.quantized(`${name}.weight`);
  const inputs = [
    value,
    graph.constant(toFloats(quantized), quantized.dims),
    graph.weight(weights.floats(`${name}.bias`)),
  ];
  const dims = [1, quantized.dims[0] ?? 0, (value.dims[2] ?? 0) / stride];
  return graph.gelu(graph.node("Conv", inputs, dims, { kernel_shape: [3], pads: [1, 1], strides: [stride] }));
}

function attend(scope: WhisperGraph, layer: string, states: Value): Value {
  const { graph } = scope;
  const normed = norm(scope, `${layer}.self_attn_layer_norm`, states);
  const inputs = ["q_proj", "k_proj", "v_proj"].map((part) =>
    linearLayer(scope, `${layer}.self_attn.${part}`, normed),
  );
  const heads = (states.dims[2] ?? 0) / HEAD_WIDTH;
  const mixed = graph.contribNode("MultiHeadAttention", inputs, states.dims, { num_heads: heads });
  return linearLayer(scope, `${layer}.self_attn.out_proj`, mixed);
}
