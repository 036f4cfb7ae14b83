import { join } from "node:path";
import { expect, it } from "vitest";
import { Reference } from "../support/reference.ts";
import { recogniseDemucs } from "./recognise.ts";

const read = (name: string) => new Reference(join(import.meta.dirname, "support", `${name}.json`)).checkpoint;
const package_ = read("htdemucs").demucs!;
const withOptions = (options: Record<string, unknown>) => ({
  ...read("htdemucs"),
  demucs: { ...package_, options: { ...package_.options, ...options } },
});

it("a package of Demucs says all that is needed", () => {
  expect(recogniseDemucs(read("htdemucs"))).toMatchObject({
    family: "demucs",
    stems: ["drums", "bass", "other", "vocals"],
    sampleRateHz: 16_000,
    segmentFrames: 36_800,
    channels: 2,
    chunking: { convention: "demucs", overlapShare: 0.25, takesAnyLength: false },
    levelling: "sample",
    assumptions: [],
  });
  expect(recogniseDemucs(read("hdemucs"))).toMatchObject({
    title: "Demucs v3 (hdemucs)",
    chunking: { takesAnyLength: true },
  });
});

it("a segment may be a fraction, and a stem list the class's first argument", () => {
  const { sources, ...options } = package_.options;
  const checkpoint = {
    ...read("htdemucs"),
    demucs: { ...package_, args: [sources], options: { ...options, segment: "39/5" } },
  };
  expect(recogniseDemucs(checkpoint)).toMatchObject({ segmentFrames: 124_800, stems: sources });
});

it("weights alone are those of a released network, as far as they don't say otherwise", () => {
  const { demucs: _, ...bare } = read("htdemucs-6s");
  expect(recogniseDemucs(bare)).toMatchObject({
    stems: ["drums", "bass", "other", "vocals", "guitar", "piano"],
    segmentFrames: 343_980,
    assumptions: [
      "stems: drums, bass, other, vocals, guitar, piano",
      "sample rate in Hz: 44100",
      "segment in seconds: 39/5",
      "attention heads: 8",
    ],
  });
});

it("a bag's segment holds for its members, but not above an htdemucs' own", () => {
  const bag = read("htdemucs-bag").bag!;
  const segmentOf = (segment: number) =>
    recogniseDemucs({ ...read("htdemucs-bag"), bag: { ...bag, segment } })?.segmentFrames;
  expect([segmentOf(2), segmentOf(44)]).toEqual([32_000, 36_800]);
});

it("a bag of one network, as hdemucs_mmi.yaml is, is that network with the bag's segment", () => {
  const { demucs, ...one } = read("hdemucs");
  const tensors = one.tensors.map((tensor) => ({ ...tensor, name: `0.${tensor.name}` }));
  const recognised = recogniseDemucs({ ...one, tensors, bag: { members: [demucs!], segment: 5 } });
  expect(recognised).toMatchObject({ title: "Demucs v3 (hdemucs)", segmentFrames: 80_000 });
  expect(recognised?.stored).toEqual(
    recogniseDemucs(read("hdemucs"))?.stored.map(({ name }) => ({ name, from: `0.${name}` })),
  );
});

it.each([
  [{ cac: false }, /cac is false/],
  [{ kernel_size: 6 }, /kernel_size is 6/],
  [{ t_sparse_self_attn: true }, /t_sparse_self_attn/],
  [{ sources: ["one"] }, /its weights make 4/],
  [{ segment: -1 }, /segment of -1/],
])("refuses what it can't build: %j", (options, message) => {
  expect(() => recogniseDemucs(withOptions(options))).toThrow(message);
});

it("refuses the Demucs of waveforms alone by name, and leaves other networks alone", () => {
  const tensor = (name: string, shape: number[]) => ({ name, shape, dtype: "F32" });
  const others = { ...read("htdemucs"), tensors: [tensor("first_conv.weight", [8, 16, 1, 1])] };
  expect(recogniseDemucs(others)).toBeUndefined();
  const waveforms = [tensor("encoder.0.0.weight", [64, 2, 8]), tensor("decoder.0.0.weight", [64, 64, 3])];
  expect(() => recogniseDemucs({ ...others, tensors: waveforms })).toThrow(/Demucs v1 or v2/);
});
