import { expect, it } from "vitest";
import { NO_SPEAKER, STEPS_PER_SECOND } from "../diarization/turns.ts";
import { findSpeaker, joinLines, type TimedText } from "../text/timed-text.ts";
import { labelSpeakers } from "./label-speakers.ts";

const makeTurns = (...spans: [speaker: number, seconds: number][]) => ({
  voiceCount: 2,
  speakers: Int8Array.from(
    spans.flatMap(([speaker, seconds]) => new Array<number>(seconds * STEPS_PER_SECOND).fill(speaker)),
  ),
  confidence: new Float32Array(),
});
const toText = (...texts: string[]): TimedText => ({
  durationSeconds: 10,
  metadata: { language: "en", languageConfidence: 1, model: "test" },
  lines: [
    {
      words: texts.map((text, n) => ({ text, startSeconds: n, endSeconds: n + 0.9, confidence: 1 })),
    },
  ],
});

it("[VO4] each word gets the person who speaks most during it, and a transcript's line ends where the speaker changes", () => {
  const text = toText("One ", "two ", "three ", "four.\n");
  const labelled = labelSpeakers(text, makeTurns([0, 2], [1, 2]), { keepsLines: false });
  expect(labelled.lines.map(findSpeaker)).toEqual([1, 2]);
  expect(joinLines(labelled)).toBe("One two\nthree four.\n");
});

it("[VO4] a given text keeps its lines, labelled with whoever says most of them", () => {
  const text = toText("One ", "two ", "three.\n");
  const labelled = labelSpeakers(text, makeTurns([0, 1], [1, 2]), { keepsLines: true });
  expect(labelled.lines).toHaveLength(1);
  expect(labelled.lines.map(findSpeaker)).toEqual([2]);
  expect(labelled.lines[0]?.words.map(({ speaker }) => speaker)).toEqual([1, 2, 2]);
});

it("[VO4] a word outside detected speech goes to the nearest or last speaker", () => {
  const text = toText("One ", "two ", "three ", "four ", "five.\n");
  const turns = makeTurns([1, 1], [NO_SPEAKER, 3], [0, 1]);
  const [line] = labelSpeakers(text, turns, { keepsLines: true }).lines;
  expect(line?.words.map(({ speaker }) => speaker)).toEqual([2, 2, 2, 1, 1]);
});
