import { expect, it } from "vitest";
import { CATALOGUE } from "../models/catalogue.ts";
import { chooseDistinct, isWholeRecording } from "./sound-parts.ts";

it.each([
  { models: ["guitar_electric", "guitar", "guitar_acoustic"], chosen: ["guitar"] },
  { models: ["other", "guitar", "guitar_electric"], chosen: ["guitar"] },
  { models: ["other", "piano", "vocals"], chosen: ["vocals", "piano"] },
  { models: ["other-x-guitar", "guitar"], chosen: ["guitar", "other-x-guitar"] },
  { models: ["other-x-guitar", "strings"], chosen: ["strings"] },
  { models: ["guitar_electric", "guitar_acoustic"], chosen: ["guitar_electric", "guitar_acoustic"] },
  { models: ["instrumental", "vocals_lead"], chosen: ["vocals_lead", "instrumental"] },
  { models: ["instrumental", "drums", "vocals"], chosen: ["drums", "vocals"] },
  { models: ["music_removal", "dialogue", "music_fx"], chosen: ["dialogue", "music_fx"] },
  { models: ["vocals", "dialogue", "speech_denoise"], chosen: ["vocals"] },
  {
    models: ["vocals", "guitar", "other", "bass", "drums", "instrumental"],
    chosen: ["drums", "bass", "other", "vocals"],
  },
])("[EX4] of $models, $chosen have no sound in common", ({ models, chosen }) => {
  expect(chooseDistinct(models, { hasRest: true })).toEqual(chosen);
});

it.each([
  { models: ["other", "guitar", "drums", "bass"], chosen: ["other", "drums", "bass"] },
  { models: ["instrumental", "drums", "vocals"], chosen: ["instrumental", "vocals"] },
  { models: ["vocals", "dialogue", "music_fx"], chosen: ["music_fx", "dialogue"] },
  { models: ["guitar_electric", "guitar", "piano"], chosen: ["guitar", "piano"] },
])("[EX4] of $models, $chosen leave out the least", ({ models, chosen }) => {
  expect(chooseDistinct(models, { hasRest: false })).toEqual(chosen);
});

it("[EX4] some stems add up to the recording", () => {
  for (const models of [
    ["vocals", "instrumental"],
    ["drums", "bass", "other", "vocals"],
    ["dialogue", "music_fx"],
    ["drums", "bass", "guitar", "other-x-guitar", "vocals"],
  ])
    expect(isWholeRecording(models)).toBe(true);
  expect(isWholeRecording(["drums", "bass", "guitar", "vocals"])).toBe(false);
});

it("[EX4] every model that gives one sound can be chosen", () => {
  const sounds = CATALOGUE.filter(({ produces }) => produces === "sound").map(({ id }) => id);
  for (const model of sounds)
    for (const hasRest of [true, false]) expect(chooseDistinct([model], { hasRest })).toEqual([model]);
});
