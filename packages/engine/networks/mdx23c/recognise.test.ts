import { join } from "node:path";
import { expect, it } from "vitest";
import { Reference } from "../support/reference.ts";
import { recogniseMdx23c } from "./recognise.ts";

const read = (name: string) => new Reference(join(import.meta.dirname, "support", `${name}.json`)).checkpoint;

it("reads dimensions off the weights, and the rest from the configuration", () => {
  expect(recogniseMdx23c(read("mdx23c-target"))).toMatchObject({
    family: "mdx23c",
    stems: ["vocals"],
    configuration: {
      fftSize: 1024,
      hopFrames: 256,
      binCount: 512,
      subbands: 4,
      activation: { kind: "relu" },
    },
    chunking: { convention: "msst", overlapCount: 2 },
    assumptions: [],
  });
});

it("without one, assumes what is usual for its bins", () => {
  const { msst: _, ...bare } = read("mdx23c");
  expect(recogniseMdx23c(bare)?.assumptions).toEqual([
    "n_fft: 1024",
    "hop_length: 256",
    "stems: vocals,other",
    "sample rate in Hz: 44100",
    "chunk in frames: 65280",
    "segments over each frame: 4",
    "act: gelu",
  ]);
});

it.each([
  [{ audio: { ...(read("mdx23c").msst!.audio as object), chunk_size: 1000 } }, /needs a multiple of 8/],
  [{ audio: { n_fft: 1_000_000_000, chunk_size: 32_512 } }, /transform of 1000000000 frames can't be run/],
  [{ audio: { hop_length: 0.5 } }, /audio.hop_length is not a whole number/],
  [{ model: { act: "swish" } }, /activation swish is unknown/],
  [{ training: { instruments: ["one", "two", "three"] } }, /names 3 stems/],
])("refuses a configuration that does not fit: %j", (changes, message) => {
  const checkpoint = read("mdx23c");
  expect(() => recogniseMdx23c({ ...checkpoint, msst: { ...checkpoint.msst, ...changes } })).toThrow(message);
});
