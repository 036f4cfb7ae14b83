import { expect, it } from "vitest";
import { findSpeechRegions } from "./speech-regions.ts";

const rules = { enter: 0.5, leave: 0.35, pauseBlocks: 2, leastBlocks: 3, blockFrames: 10 };
const find = (levels: string) =>
  findSpeechRegions(
    [...levels].map((level) => Number(level) / 10),
    rules,
  );

it("[V4] speech starts above one threshold, ends below another, spans short pauses, and excludes clicks", () => {
  expect(find("0055555000")).toEqual([{ startFrame: 20, endFrame: 70 }]);
  expect(find("0059440000")).toEqual([{ startFrame: 20, endFrame: 60 }]);
  expect(find("005550055500")).toEqual([{ startFrame: 20, endFrame: 100 }]);
  expect(find("00555000555000")).toEqual([
    { startFrame: 20, endFrame: 50 },
    { startFrame: 80, endFrame: 110 },
  ]);
  expect(find("0099000000")).toEqual([]);
  expect(find("000999")).toEqual([{ startFrame: 30, endFrame: 60 }]);
  expect(find("")).toEqual([]);
});
