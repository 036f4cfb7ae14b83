import { expect, it } from "vitest";
import { toOutputNames, toVoiceNames } from "./output-names.ts";

it("[O1] a stem is named after model and variant, its residual follows it", () => {
  expect(toOutputNames({ model: "drums" })).toEqual([{ output: "stem", name: "drums" }]);
  expect(toOutputNames({ model: "vocals", variant: "high_quality", residual: true })).toEqual([
    { output: "stem", name: "vocals_high_quality" },
    { output: "residual", name: "vocals_high_quality_residual" },
  ]);
});

it.each(["speech_denoise", "speech_dereverb"])("[O1] [M11] what %s takes away is its residual", (model) => {
  expect(toOutputNames({ model, residual: true })).toEqual([
    { output: "stem", name: model },
    { output: "residual", name: `${model}_residual` },
  ]);
});

it.each(["transcription", "alignment", "music_detection"])("[O1] %s leaves no residual", (model) => {
  expect(toOutputNames({ model, residual: true })).toEqual([{ output: "stem", name: model }]);
});

it("[O1] voices are numbered after the variant, and share one residual", () => {
  expect(toVoiceNames({}, 2)).toEqual(["voice_01", "voice_02"]);
  expect(toVoiceNames({ variant: "n_speaker" }, 10).at(-1)).toBe("voice_n_speaker_10");
  expect(toOutputNames({ model: "multi_voice", variant: "two_speaker", residual: true })).toEqual([
    { output: "stem", name: "voice_two_speaker" },
    { output: "residual", name: "voice_two_speaker_residual" },
  ]);
});
