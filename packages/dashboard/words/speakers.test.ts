import { describe, expect, it } from "vitest";
import { assignLine, assignSelection, listSpeakers, renameSpeaker, toSpeaker } from "./speakers.ts";
import type { WordsLines } from "./words-lines.ts";

const LINES: WordsLines = [
  ["speaker_02", "Seven ", "ships ", "sailed\n"],
  ["speaker_01", "across ", "the ", "sea\n"],
].map(([speaker = "", ...words], line) => ({
  speaker,
  words: words.map((text, n) => ({
    text,
    start: 3 * line + n,
    end: 3 * line + n + 0.5,
    confidence: 0.9,
    speaker,
  })),
}));
const show = (lines: WordsLines) =>
  lines.map(({ speaker, words }) => `${speaker}: ${words.map(({ text }) => text).join("")}`);

describe("[WP3] speakers of words", () => {
  it("are renamed everywhere, and keep their order", () => {
    const renamed = renameSpeaker(LINES, "speaker_02", "Ada");
    expect(show(renamed)).toEqual(["Ada: Seven ships sailed\n", "speaker_01: across the sea\n"]);
    expect(renamed[0]?.words.every(({ speaker }) => speaker === "Ada")).toBe(true);
    expect(renamed[1]).toBe(LINES[1]);
    expect(listSpeakers(renamed)).toEqual(["Ada", "speaker_01"]);
  });

  it("become one when one takes the other's name", () => {
    expect(toSpeaker(" Speaker 1", listSpeakers(LINES))).toBe("speaker_01");
    expect(listSpeakers(renameSpeaker(LINES, "speaker_02", "speaker_01"))).toEqual(["speaker_01"]);
  });

  it("are given a line", () => {
    expect(show(assignLine(LINES, 1, "Grace"))[1]).toBe("Grace: across the sea\n");
  });

  it("are given some words, which become a separate line", () => {
    const selection = { from: { line: 0, word: 1 }, to: { line: 1, word: 0 } };
    const given = assignSelection(LINES, selection, "Grace");
    expect(show(given)).toEqual([
      "speaker_02: Seven\n",
      "Grace: ships sailed\n",
      "Grace: across\n",
      "speaker_01: the sea\n",
    ]);
    const middle = { from: { line: 0, word: 1 }, to: { line: 0, word: 1 } };
    expect(assignSelection(LINES, middle, "Grace")).toHaveLength(4);
    const times = (lines: WordsLines) =>
      lines.flatMap(({ words }) => words.map(({ start, end }) => [start, end]));
    expect(times(given)).toEqual(times(LINES));
  });
});
