import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { loadManifests } from "../../../manifests/manifest.ts";
import { NetworkSession } from "../../../runtime/network-session.ts";
import { GraphBuilder } from "../../../runtime/onnx/graph-builder.ts";
import { getVerifiedWeightsPath } from "../../../runtime/weights-file.ts";
import { linearLayer } from "./layers.ts";
import { WhisperWeights } from "./whisper-weights.ts";

const manifest = loadManifests({ speechNetwork: "whisper-tiny" }).find(({ family }) => family === "whisper");
if (manifest?.family !== "whisper") throw new Error("no manifest of whisper-tiny");
const path = getVerifiedWeightsPath(manifest.weights.encoder, { manifestId: manifest.id });
const weights = new WhisperWeights(readFileSync(path));
const ROWS = 50;

it.each(["layers.0.self_attn.q_proj", "layers.0.self_attn.k_proj", "layers.1.fc1", "layers.3.fc2"])(
  "[S3] a product in floats, as on a GPU, is the one in bytes but for rounding: %s",
  async (name) => {
    const [inBytes, inFloats] = [await multiply(name, false), await multiply(name, true)];
    const energy = (values: Float32Array) => values.reduce((sum, value) => sum + value * value, 0);
    const apart = energy(inFloats.map((value, n) => value - inBytes[n]!));
    expect(10 * Math.log10(apart / energy(inFloats))).toBeLessThan(-40);
  },
);

async function multiply(name: string, inFloats: boolean): Promise<Float32Array> {
  const [inputs = 0] = weights.matrix(name).dims;
  const graph = new GraphBuilder();
  const product = linearLayer({ graph, weights, inFloats }, name, graph.input("input", [1, ROWS, inputs]));
  graph.output(product);
  const session = await NetworkSession.load(graph.toBytes(), { threads: 1 });
  const { data } = session.getInput(0, [1, ROWS, inputs]);
  for (let n = 0; n < data.length; n++) data[n] = Math.sin(n * n * 0.013);
  const output = session.getOutput(0, product.dims);
  await session.run();
  return output.data;
}
