import { describe, expect, it } from "vitest";
import { CATALOGUE } from "./catalogue.ts";
import { type InstalledModel, toModels } from "./model-view.ts";

const network = { weights: { name: "a network", licence: "a licence" }, scores: [] };
const installed: InstalledModel[] = [
  { id: "vocals", variants: [], ...network },
  { id: "music_removal", variants: [], ...network },
];
const find = (models: ReturnType<typeof toModels>, id: string) => models.find((model) => model.id === id);

describe("the model list", () => {
  it("[M1] lists the catalogue of the interface, and a few more models, with credits and limits", () => {
    const hours = (id: string) =>
      (CATALOGUE.find((model) => model.id === id)?.maxInputDurationSeconds ?? 0) / 3600;
    expect(CATALOGUE.map(({ id, creditsPerMinute }) => [id, creditsPerMinute, hours(id)])).toEqual([
      ["vocals", 1, 3],
      ["instrumental", 1, 3],
      ["vocals_lead", 1, 3],
      ["vocals_backing", 1, 3],
      ["drums", 1, 3],
      ["bass", 1, 3],
      ["other", 1, 3],
      ["guitar", 1, 3],
      ["other-x-guitar", 1, 3],
      ["guitar_electric", 1, 3],
      ["guitar_acoustic", 1, 3],
      ["piano", 1, 3],
      ["keys", 1, 3],
      ["wind", 1, 3],
      ["strings", 1, 3],
      ["music_analysis", 0.5, 3],
      ["dialogue", 1.5, 3],
      ["effects", 1.5, 3],
      ["music", 1.5, 3],
      ["music_removal", undefined, 1],
      ["music_fx", 1.5, 3],
      ["music_detection", 0.5, 3],
      ["multi_voice", undefined, 1],
      ["speech_denoise", 1.5, 3],
      ["speech_dereverb", 2, 3],
      ["transcription", 1, 1],
      ["alignment", 1, 1],
    ]);
  });

  it("[M11] clean speech has the formats of stems", () => {
    const formatsOf = (id: string) => find(toModels([]), id)?.outputFormats;
    expect(formatsOf("speech_denoise")).toEqual(formatsOf("vocals"));
    expect(formatsOf("speech_dereverb")).toEqual(formatsOf("vocals"));
  });

  it("[M2] opens only installed models", () => {
    const models = toModels(installed);
    expect(find(models, "vocals")).toMatchObject({ access: "enabled", installed: true });
    expect(find(models, "piano")).toMatchObject({ access: "requestAccess", installed: false });
    expect(find(models, "vocals_lead")).toMatchObject({ access: "requestAccess", installed: false });
    expect(find(models, "music_removal")).toMatchObject({ access: "requestAccess", installed: true });
    expect(find(models, "vocals")?.variants?.[0]).toMatchObject({
      id: "high_quality",
      access: "requestAccess",
      installed: false,
      creditsPerMinute: 1.5,
    });
  });

  it("[M2] a grant opens an installed model that needs one, but not one that is not installed", () => {
    const models = toModels(installed, [
      { model: "music_removal", access: "enabled", creditsPerMinute: 4 },
      { model: "piano", access: "enabled" },
    ]);
    expect(find(models, "music_removal")).toMatchObject({ access: "enabled", creditsPerMinute: 4 });
    expect(find(models, "piano")).toMatchObject({ access: "requestAccess", installed: false });
  });

  it("[M3] a client's negotiated rate applies to the model, and to its variants in proportion", () => {
    const vocals = find(toModels(installed, [{ model: "vocals", creditsPerMinute: 0.5 }]), "vocals");
    expect(vocals?.creditsPerMinute).toBe(0.5);
    expect(vocals?.variants?.[0]?.creditsPerMinute).toBe(0.75);
  });

  it("[M4] names weights and licence of installed models", () => {
    expect(find(toModels(installed), "vocals")?.weights).toEqual({ name: "a network", licence: "a licence" });
    expect(find(toModels(installed), "piano")).not.toHaveProperty("weights");
  });
});

it("[M1] lists the models that a model contains", () => {
  const whole = ["voice", "drums", "rest"];
  const made = (id: string, parts: string[]) => ({ ...network, id, variants: [], sound: { parts, whole } });
  const models = toModels([
    made("vocals", ["voice"]),
    made("instrumental", ["drums", "rest"]),
    made("drums", ["drums"]),
    { ...network, id: "transcription", variants: [] },
  ]);
  const containsOf = (wanted: string) => models.find(({ id }) => id === wanted)?.contains;
  expect(containsOf("instrumental")).toEqual(["drums"]);
  expect(containsOf("vocals")).toEqual([]);
  expect(containsOf("transcription")).toEqual([]);
  expect(containsOf("bass")).toBeUndefined();
});
