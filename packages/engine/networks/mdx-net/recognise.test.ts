import { expect, it } from "vitest";
import { recogniseMdxNet } from "./recognise.ts";

const shape = [1, 4, 3072, 256];
const checkpoint = {
  fileName: "file.onnx",
  tensors: [],
  read: () => new Float32Array(),
  graph: { inputs: [{ name: "input", shape }], outputs: [{ name: "output", shape }] },
};

it("a published file is known by its hash", () => {
  expect(recogniseMdxNet({ ...checkpoint, tailMd5: "cc63408d0000000000000000000000000" })).toMatchObject({
    family: "mdx-net",
    stems: ["instrumental"],
    segmentFrames: 261_120,
    chunking: { convention: "mdx-net", trimFrames: 3072 },
    configuration: { fftSize: 6144, binCount: 3072, slots: 256, gain: 1.033 },
    assumptions: [],
  });
});

it("an unknown one needs its n_fft, where published files differ", () => {
  expect(() => recogniseMdxNet(checkpoint)).toThrow(/give mdx_n_fft_scale_set/);
  const msst = { mdx_n_fft_scale_set: 7680, primary_stem: "Vocals" };
  expect(recogniseMdxNet({ ...checkpoint, msst })).toMatchObject({
    stems: ["vocals"],
    configuration: { fftSize: 7680, gain: 1 },
    assumptions: ["compensate: 1"],
  });
});

it("other graphs are left alone", () => {
  expect(
    recogniseMdxNet({ ...checkpoint, graph: { inputs: [{ name: "audio", shape: [1, 2] }], outputs: [] } }),
  ).toBeUndefined();
});
