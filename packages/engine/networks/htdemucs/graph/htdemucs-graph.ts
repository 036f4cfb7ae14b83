import type { GraphBuilder } from "../../../runtime/onnx/graph-builder.ts";
import type { OnnxWeights } from "../../../runtime/onnx/onnx-weights.ts";

/** The graph under construction and the weights it is built from. */
export type HtdemucsGraph = {
  graph: GraphBuilder;
  weights: OnnxWeights;
  /** Use fewer multiplications in exchange for more copies. That pays where onnxruntime has no blocked layout for convolutions: on arm64. */
  sparesProducts?: boolean;
};
