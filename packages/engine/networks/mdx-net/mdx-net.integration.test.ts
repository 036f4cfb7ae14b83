import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { GraphBuilder } from "../../runtime/onnx/graph-builder.ts";
import { convolve } from "../convolve.ts";
import { measureReference } from "../support/measure-reference.ts";
import type { Reference } from "../support/reference.ts";
import { MdxNet } from "./mdx-net.ts";

/** Two convolutions, as in `run_mdx_net` of training/reference_outputs.py. */
function storeGraph(reference: Reference): Disposable & { path: string } {
  const graph = new GraphBuilder();
  const input = graph.input("input", reference.checkpoint.graph!.inputs[0]!.shape);
  const module = (name: string) => ({
    weight: reference.getWeight(`${name}.weight`),
    bias: reference.getWeight(`${name}.bias`),
    pads: [1, 1, 1, 1],
  });
  const first = convolve(graph, input, module("0"));
  const second = convolve(graph, graph.node("Relu", [first], first.dims), module("2"));
  graph.output(graph.named("output", second));
  const folder = mkdtempSync(join(tmpdir(), "stemwright-mdx-net-"));
  const path = join(folder, "network.onnx");
  writeFileSync(path, graph.toBytes());
  return { path, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

it("MDX-Net gives the stem of Ultimate Vocal Remover", async () => {
  const path = join(import.meta.dirname, "support", "mdx-net.json");
  const agreementsDb = await measureReference(MdxNet, path, storeGraph);
  expect(Math.min(...agreementsDb)).toBeGreaterThan(100);
});
