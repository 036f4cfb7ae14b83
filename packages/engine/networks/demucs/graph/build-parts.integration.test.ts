import { afterAll, expect, it } from "vitest";
import { loadManifests } from "../../../manifests/manifest.ts";
import { NetworkSession } from "../../../runtime/network-session.ts";
import { ByteFile } from "../../../runtime/onnx/byte-file.ts";
import { OnnxWeights } from "../../../runtime/onnx/onnx-weights.ts";
import { findWeightsPath } from "../../../runtime/weights-file.ts";
import { parseBag } from "../demucs-config.ts";
import { ExportedWeights } from "../exported-weights.ts";
import { buildDecoder, type GraphPart } from "./build-parts.ts";

const manifest = loadManifests().find((candidate) => candidate.family === "demucs");
if (manifest?.family !== "demucs") throw new Error("no manifest with the family demucs");
const file = new ByteFile(findWeightsPath(manifest.weights) ?? "");
afterAll(() => file[Symbol.dispose]());
const network = {
  weights: new ExportedWeights(new OnnxWeights(file)),
  config: parseBag({ configuration: {} }).members[0]!,
};

const slots = 8;
const decoders = [
  {
    branch: "spectrum" as const,
    input: [1, 4, 2048, slots],
    encoded: [
      [1, 48, 512, slots],
      [1, 96, 128, slots],
      [1, 192, 32, slots],
      [1, 384, 8, slots],
    ],
  },
  {
    branch: "waveform" as const,
    // Not a multiple of the strides.
    input: [1, 2, 4001],
    encoded: [
      [1, 48, 1001],
      [1, 96, 251],
      [1, 192, 63],
      [1, 384, 16],
    ],
  },
];

/** The part's first output for two waves as input. */
async function run(part: GraphPart): Promise<Float32Array> {
  const session = await NetworkSession.load(part.file, { threads: 1 });
  part.inputs.forEach((shape, at) => {
    session.getInput(at, shape).data.forEach((_, n, data) => {
      data[n] = Math.sin(0.1 * n + at) + Math.sin(0.37 * n);
    });
  });
  const [data] = part.outputs.map((shape, at) => session.getOutput(at, shape).data);
  await session.run();
  return data!;
}

function signalToErrorDb(reference: Float32Array, actual: Float32Array): number {
  expect(actual.length).toBe(reference.length);
  let power = 0;
  let error = 0;
  reference.forEach((value, n) => {
    power += value ** 2;
    error += (value - actual[n]!) ** 2;
  });
  return 10 * Math.log10(power / error);
}

it.each(decoders)(
  "a decoder ($branch) with fewer multiplications gives the samples of the plain one",
  async (one) => {
    const { branch, ...shapes } = one;
    const plain = await run(
      buildDecoder({ ...network, sparesProducts: false }, branch, {
        ...shapes,
        middle: shapes.encoded.at(-1),
      }),
    );
    const sparing = await run(
      buildDecoder({ ...network, sparesProducts: true }, branch, {
        ...shapes,
        middle: shapes.encoded.at(-1),
      }),
    );
    // Norms amplify rounding errors of such inputs; with music the difference is below −110 dB.
    expect(signalToErrorDb(plain, sparing)).toBeGreaterThan(45);
  },
);
