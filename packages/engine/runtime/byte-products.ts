import { makeSession } from "./make-session.ts";
import { GraphBuilder } from "./onnx/graph-builder.ts";
import ort from "./onnxruntime.ts";

const WIDTH = 64;

let isExact: Promise<boolean> | undefined;

/**
 * Whether int8 products are summed without overflow, as on CPUs with VNNI or AMX and on all of arm64; there int8 is also several times
 * faster than float. Other CPUs add two products in 16 bits, where the largest (255 · 127 twice) saturate.
 */
export function hasExactByteProducts(): Promise<boolean> {
  isExact ??= multiplyLargestBytes();
  return isExact;
}

async function multiplyLargestBytes(): Promise<boolean> {
  const graph = new GraphBuilder();
  const input = graph.input("input", [WIDTH, WIDTH]);
  const weights = [
    graph.quantized(new Int8Array(WIDTH * WIDTH).fill(127), [WIDTH, WIDTH]),
    graph.constant(Float32Array.of(1), [1]),
    graph.quantized(Int8Array.of(0), [1]),
  ];
  graph.output(graph.contribNode("DynamicQuantizeMatMul", [input, ...weights], [WIDTH, WIDTH]));
  const session = await makeSession(graph.toBytes(), { intraOpNumThreads: 1 });
  const [inputName = "", outputName = ""] = [session.inputNames[0], session.outputNames[0]];
  // The input's largest value becomes 255.
  const largest = new ort.Tensor("float32", new Float32Array(WIDTH * WIDTH).fill(255), [WIDTH, WIDTH]);
  const { data } = (await session.run({ [inputName]: largest }))[outputName] as ort.TypedTensor<"float32">;
  const product = 255 * 127 * WIDTH;
  return data.every((value) => Math.abs(value / product - 1) < 1e-4);
}
