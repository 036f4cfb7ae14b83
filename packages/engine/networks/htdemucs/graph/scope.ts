import type { GraphBuilder } from "../../../runtime/onnx/graph-builder.ts";
import type { OnnxWeights } from "../../../runtime/onnx/onnx-weights.ts";

/** The graph under construction and the weights it is built from. */
export type Scope = { graph: GraphBuilder; weights: OnnxWeights };
