import { expect, it } from "vitest";
import { findFileName } from "./save-response.ts";

it.each([
  ["attachment; filename=\"a.srt\"; filename*=UTF-8''Sp%C3%A4ter%20-%20a.srt", "Später - a.srt"],
  ['attachment; filename="song - a.srt"', "song - a.srt"],
  [null, "words.txt"],
])("[EX5] %s is saved as %s", (disposition, name) => {
  expect(findFileName(disposition, "words.txt")).toBe(name);
});
