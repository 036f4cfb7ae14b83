import { expect, it } from "vitest";
import { listEngineModels } from "./list-engine-models.ts";

it("lists the catalogue models whose networks are here, with the licence of their weights", () => {
  const licences = Object.fromEntries(listEngineModels().map(({ id, weights }) => [id, weights.licence]));
  for (const id of ["vocals", "instrumental", "drums", "bass", "other"]) {
    expect(licences[id]).toMatch(/research and personal use/);
  }
  for (const id of ["guitar", "other-x-guitar", "piano", "strings", "wind"]) {
    expect(licences[id]).toMatch(/^MIT.* \+ .*research and personal use/);
  }
  for (const id of [
    "dialogue",
    "effects",
    "music_fx",
    "music_removal",
    "music_detection",
    "speech_denoise",
    "speech_dereverb",
    "transcription",
    "alignment",
  ]) {
    expect(licences[id]).toMatch(/^MIT/);
  }
  expect(licences.multi_voice).toMatch(/^MIT.* \+ .*Apache-2.0/);
  expect(Object.keys(licences)).toHaveLength(20);
});
