import type { Model } from "@stemwright/sdk";
import { describe, expect, it } from "vitest";
import { type Choice, FIRST_CHOICE, parseChoice, toQuery, toTargets } from "./choice.ts";

const model = (fields: Partial<Model>): Model => ({
  id: "vocals",
  name: "Vocals",
  category: "stems",
  description: "",
  access: "enabled",
  installed: true,
  outputFormats: ["wav", "mp3"],
  ...fields,
});
const MODELS = [
  model({
    variants: [{ id: "high_quality", description: "", access: "enabled", installed: true }],
  }),
  model({ id: "drums", outputFormats: ["flac"] }),
  model({
    id: "alignment",
    category: "transcription-alignment",
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
  words: {
    speakers: "3",
    speakerNames: true,
    keywords: "Siobhan, PostgreSQL",
    prompt: "A talk & more",
    translate: true,
    maxLineLength: "30",
    maxLines: "1",
    isFromAudio: true,
  },
  transcript: "Über & über,\nnew line",
  url: "https://a.example/x?y=1&z=ä",
};

/** Translation is for transcription alone. */
const WORDS = {
  speakers: 3,
  speakerNames: true,
  keywords: ["Siobhan", "PostgreSQL"],
  prompt: "A talk & more",
  maxLineLength: 30,
  maxLines: 1,
  fileTimeline: false,
};

describe("the choice of the playground", () => {
  it("[PG6] survives a round trip through the address", () => {
    expect(parseChoice(new URLSearchParams(toQuery(CHOICE).toString()), MODELS)).toEqual(CHOICE);
    expect(parseChoice(toQuery({ ...CHOICE, audioFormats: [] }), MODELS).audioFormats).toEqual([]);
  });

  it("[PG6] has defaults, and ignores an invalid bit depth", () => {
    expect(parseChoice(new URLSearchParams(), MODELS)).toEqual(FIRST_CHOICE);
    expect(parseChoice(new URLSearchParams("bits=23"), MODELS).bitDepth).toBe("");
  });

  it("[PG6] drops what the models do not know", () => {
    const query = new URLSearchParams({
      language: "en; touch /tmp/x #",
      url: "/etc/passwd",
      audio: "wav,$(id)",
      text: "`id`,lrc",
      speakers: "9",
      letters: "5",
      rows: "many",
    });
    for (const text of ["vocals/$(id)~residual", "drums/high_quality", "no; such"]) query.append("m", text);
    expect(parseChoice(query, MODELS)).toEqual({
      ...FIRST_CHOICE,
      models: [{ id: "vocals", isResidual: true }, { id: "drums" }],
      audioFormats: ["wav"],
      textFormats: ["lrc"],
    });
    const url = "https://a.example/\u0003\ntouch x\n";
    expect(parseChoice(new URLSearchParams({ url }), MODELS).url).toBe("");
  });

  it("[PG6] a model is not asked for a language or variant that only another one knows", () => {
    const choice = { ...CHOICE, models: [{ id: "drums", variant: "high_quality" }, { id: "alignment" }] };
    expect(toTargets({ ...choice, language: "xx" }, MODELS)).toEqual([
      { model: "drums", formats: ["flac"] },
      { model: "alignment", formats: ["lrc"], ...WORDS },
    ]);
  });

  it("[PG6] [VO3] voices have formats of sound, and json among those of text", () => {
    const voices = model({ id: "multi_voice", outputFormats: ["wav", "mp3", "json"] });
    const formatsOf = (changes: Partial<Choice>) =>
      toTargets({ ...FIRST_CHOICE, ...changes, models: [{ id: "multi_voice" }] }, [voices])[0]?.formats;
    expect(formatsOf({})).toEqual(["wav", "json"]);
    expect(formatsOf({ textFormats: ["srt"] })).toEqual(["wav"]);
    expect(formatsOf({ audioFormats: [] })).toEqual(["json"]);
  });

  it("[PG6] leaves a text out of the address if it is too long", () => {
    expect(toQuery({ ...CHOICE, transcript: "word ".repeat(400) }).has("transcript")).toBe(false);
  });

  it("[PG6] becomes a target per model, with the options that model supports", () => {
    expect(toTargets(CHOICE, MODELS, { transcriptAssetId: "a1" })).toEqual([
      { model: "vocals", formats: ["wav", "mp3"], variant: "high_quality", residual: true, bitDepth: 24 },
      { model: "alignment", formats: ["lrc"], language: "en", ...WORDS, transcriptAssetId: "a1" },
    ]);
    const other: Choice = { ...FIRST_CHOICE, models: [{ id: "drums" }, { id: "unknown" }] };
    expect(toTargets(other, MODELS)).toEqual([{ model: "drums", formats: ["flac"] }]);
  });
});
