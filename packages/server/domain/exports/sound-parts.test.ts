import { expect, it } from "vitest";
import { CATALOGUE } from "../models/catalogue.ts";
import { chooseBesideRest, chooseFullest, isWholeRecording } from "./sound-parts.ts";

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
  expect(chooseBesideRest(models)).toEqual(chosen);
});

it.each([
  { models: ["other", "guitar", "drums", "bass"], chosen: ["drums", "bass", "other"] },
  { models: ["instrumental", "drums", "vocals"], chosen: ["vocals", "instrumental"] },
  { models: ["vocals", "dialogue", "music_fx"], chosen: ["dialogue", "music_fx"] },
  { models: ["vocals", "instrumental", "music_fx"], chosen: ["vocals", "instrumental"] },
  { models: ["instrumental", "drums", "bass", "other"], chosen: ["drums", "bass", "other"] },
  { models: ["instrumental", "drums", "bass"], chosen: ["drums", "bass"] },
  { models: ["music_fx", "drums", "bass", "other"], chosen: ["drums", "bass", "other"] },
  { models: ["guitar_electric", "guitar", "piano"], chosen: ["guitar", "piano"] },
  { models: ["drums", "bass", "guitar", "piano", "strings"], chosen: ["drums", "bass", "guitar", "piano"] },
  {
    models: ["drums", "bass", "vocals", "instrumental", "other"],
    chosen: ["drums", "bass", "vocals", "other"],
  },
  { models: ["other", "guitar"], chosen: [] },
])("[EX4] of $models, $chosen leave out the least", ({ models, chosen }) => {
  expect(chooseFullest(models, 4)).toEqual(chosen);
});

it("[EX4] some stems add up to the recording", () => {
  for (const models of [
    ["vocals", "instrumental"],
    ["drums", "bass", "other", "vocals"],
    ["dialogue", "music_fx"],
    ["music", "music_removal"],
    ["dialogue", "music", "effects"],
    ["drums", "bass", "guitar", "other-x-guitar", "vocals"],
  ])
    expect(isWholeRecording(models)).toBe(true);
  expect(isWholeRecording(["drums", "bass", "guitar", "vocals"])).toBe(false);
});

it("[EX4] every model that gives one sound can be chosen", () => {
  const sounds = CATALOGUE.filter(({ produces }) => produces === "sound").map(({ id }) => id);
  for (const model of sounds) expect(chooseBesideRest([model])).toEqual([model]);
});
