import type { Model } from "@stemwright/sdk";
import { describe, expect, it } from "vitest";
import { type Choice, FIRST_CHOICE, parseChoice, toQuery, toTargets } from "./choice.ts";

const model = (fields: Partial<Model>): Model => ({
  id: "vocals",
  name: "Vocals",
  category: "stems",
  description: "",
  access: "enabled",
  outputFormats: ["wav", "mp3"],
  ...fields,
});
const MODELS = [
  model({}),
  model({ id: "drums", outputFormats: ["flac"] }),
  model({
    id: "alignment",
    outputFormats: ["json", "lrc"],
    supportedLanguages: ["en"],
    inputs: [{ id: "transcript" }],
  }),
];
const CHOICE: Choice = {
  models: [{ id: "vocals", variant: "high_quality", isResidual: true }, { id: "alignment" }],
  audioFormats: ["wav", "mp3"],
  textFormats: ["lrc"],
  bitDepth: "24",
  language: "en",
  transcript: "Über & über,\nnew line",
  url: "https://a.example/x?y=1&z=ä",
};

describe("the choice of the playground", () => {
  it("[PG6] survives a round trip through the address", () => {
    expect(parseChoice(new URLSearchParams(toQuery(CHOICE).toString()))).toEqual(CHOICE);
    expect(parseChoice(toQuery({ ...CHOICE, audioFormats: [] })).audioFormats).toEqual([]);
  });

  it("[PG6] has defaults, and ignores an invalid bit depth", () => {
    expect(parseChoice(new URLSearchParams())).toEqual(FIRST_CHOICE);
    expect(parseChoice(new URLSearchParams("bits=23")).bitDepth).toBe("");
  });

  it("[PG6] leaves a text out of the address if it is too long", () => {
    expect(toQuery({ ...CHOICE, transcript: "word ".repeat(400) }).has("transcript")).toBe(false);
  });

  it("[PG6] becomes a target per model, with the options that model supports", () => {
    expect(toTargets(CHOICE, MODELS, { transcriptAssetId: "a1" })).toEqual([
      { model: "vocals", formats: ["wav", "mp3"], variant: "high_quality", residual: true, bitDepth: 24 },
      { model: "alignment", formats: ["lrc"], language: "en", transcriptAssetId: "a1" },
    ]);
    const other: Choice = { ...FIRST_CHOICE, models: [{ id: "drums" }, { id: "unknown" }] };
    expect(toTargets(other, MODELS)).toEqual([{ model: "drums", formats: ["flac"] }]);
  });
});
