import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { NetworkSession } from "../network-session.ts";
import { ByteFile } from "./byte-file.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { OnnxWeights } from "./onnx-weights.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-onnx-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function openGraph(graph: Uint8Array): ByteFile {
  const path = join(folder, "graph.onnx");
  writeFileSync(path, graph);
  return new ByteFile(path);
}

function buildGraph(): Uint8Array {
  const graph = new GraphBuilder();
  const input = graph.input("input", [1, 2, 3]);
  const turned = graph.transpose(input, [0, 2, 1]);
  const matrix = graph.constant(Float32Array.of(1, 0.5, -1, 2), [2, 2]);
  const product = graph.contribNode("FusedMatMul", [turned, matrix], [1, 3, 2], { alpha: { float: 2 } });
  graph.output(graph.named("sum", graph.add(product, graph.floats([10, 20]))));
  const row = graph.slice(graph.reshape(product, [1, 6]), { axis: 1, from: 1, to: 5 });
  graph.output(graph.mean(row, 1));
  return graph.toBytes();
}

it("a generated graph runs and returns the expected outputs", async () => {
  const session = await NetworkSession.load(buildGraph(), { threads: 1 });
  const input = session.getInput(0, [1, 2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
  const [sum, mean] = [session.getOutput(0, [1, 3, 2]), session.getOutput(1, [1, 1])];
  await session.run();
  // 2 · (a − b) + 10 and 2 · (a / 2 + 2 · b) + 20 for the columns (a, b) = (1, 4), (2, 5), (3, 6).
  expect([...sum.data]).toEqual([4, 37, 4, 42, 4, 47]);
  expect([...mean.data]).toEqual([(17 - 6 + 22 - 6) / 4]);
  input.data.fill(0);
  await session.run();
  expect([...sum.data]).toEqual([10, 20, 10, 20, 10, 20]);
});

it("a graph reads another's output from the same buffer", async () => {
  const [first, second] = [
    await NetworkSession.load(buildGraph(), { threads: 1 }),
    await NetworkSession.load(buildGraph(), { threads: 1 }),
  ];
  first.getInput(0, [1, 2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
  const between = first.getOutput(0, [1, 3, 2]).data;
  first.getOutput(1, [1, 1]);
  second.getInput(0, [1, 2, 3], between);
  const result = second.getOutput(0, [1, 3, 2]).data;
  second.getOutput(1, [1, 1]);
  await first.run();
  await second.run();
  // The buffer 4, 37, 4, 42, 4, 47 read as the rows (4, 37, 4) and (42, 4, 47).
  expect([...result]).toEqual([2 * (4 - 42) + 10, 192, 2 * (37 - 4) + 10, 73, 2 * (4 - 47) + 10, 212]);
});

it("weights are found by name; the error for an unknown name includes it", () => {
  using file = openGraph(buildGraph());
  const weights = new OnnxWeights(file);
  expect(weights.get("v2")).toEqual({ dims: [2, 2], data: Float32Array.of(1, 0.5, -1, 2) });
  expect(weights.has("encoder.weight")).toBe(false);
  expect(() => weights.get("encoder.weight")).toThrow("encoder.weight");
  expect(() => weights.ofNode("/encoder/Conv")).toThrow("/encoder/Conv");
});

it("a truncated file is rejected", () => {
  const graph = buildGraph();
  using file = openGraph(graph.subarray(0, graph.length - 40));
  expect(() => new OnnxWeights(file)).toThrow("ends inside");
});
