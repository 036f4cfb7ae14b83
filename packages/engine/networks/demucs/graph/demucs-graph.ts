import type { GraphBuilder } from "../../../runtime/onnx/graph-builder.ts";
import type { WeightsByName } from "../../weights-by-name.ts";
import type { DemucsConfig } from "../demucs-config.ts";

/** The graph under construction and the weights it is built from. */
export type DemucsGraph = {
  graph: GraphBuilder;
  weights: WeightsByName;
  config: DemucsConfig;
  /** Use fewer multiplications in exchange for more copies. That pays where onnxruntime has no blocked layout for convolutions: on arm64. */
  sparesProducts?: boolean;
};

/** How many modules a list in the weights has: `prefix.0.…`, `prefix.1.…`. */
export function countModules(weights: WeightsByName, toName: (index: number) => string): number {
  let count = 0;
  while (weights.has(toName(count))) count += 1;
  return count;
}
