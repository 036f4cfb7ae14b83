import type { GraphBuilder } from "../../../runtime/onnx/graph-builder.ts";
import type { OnnxWeights } from "../../../runtime/onnx/onnx-weights.ts";

/** What every layer is written into and from. */
export type Scope = { graph: GraphBuilder; weights: OnnxWeights };
