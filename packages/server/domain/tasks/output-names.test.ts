import { expect, it } from "vitest";
import { toOutputNames } from "./output-names.ts";

it("[O1] a stem is named after model and variant, its residual follows it", () => {
  expect(toOutputNames({ model: "drums" })).toEqual([{ output: "stem", name: "drums" }]);
  expect(toOutputNames({ model: "vocals", variant: "high_quality", residual: true })).toEqual([
    { output: "stem", name: "vocals_high_quality" },
    { output: "residual", name: "vocals_high_quality_residual" },
  ]);
});

it.each(["transcription", "alignment", "music_detection"])("[O1] %s leaves no residual", (model) => {
  expect(toOutputNames({ model, residual: true })).toEqual([{ output: "stem", name: model }]);
});
