import { join } from "node:path";
import { expect, it } from "vitest";
import { Reference } from "../support/reference.ts";
import { recogniseScnet } from "./recognise.ts";

const read = (name: string) => new Reference(join(import.meta.dirname, "support", `${name}.json`)).checkpoint;

it("reads the configuration", () => {
  expect(recogniseScnet(read("scnet-normalized"))).toMatchObject({
    family: "scnet",
    stems: ["drums", "bass", "other", "vocals"],
    segmentFrames: 40_000,
    levelling: "population",
    configuration: { fftSize: 1024, bandShares: [0.225, 0.372], window: "rectangular" },
    assumptions: [],
  });
});

it("without one, says what it guesses", () => {
  const { msst: _, ...bare } = read("scnet-masked");
  const recognised = recogniseScnet(bare);
  expect(recognised).toMatchObject({
    title: "SCNet (masked)",
    configuration: { fftSize: 1024, window: "hann" },
  });
  expect(recognised?.assumptions).toContain(
    "band_SR (a guess by the size: another gives other stems): 0.225,0.372",
  );
});
