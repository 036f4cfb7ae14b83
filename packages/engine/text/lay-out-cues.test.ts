import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { displayWidth } from "./display-width.ts";
import { type Cue, layOutCues } from "./lay-out-cues.ts";
import { joinLines, type TimedText } from "./timed-text.ts";

type Spoken = { text: string; seconds: number; pauseSeconds: number; endsLine: boolean };

function speak(words: readonly Spoken[], startSeconds = 0): TimedText {
  const lines: TimedText["lines"] = [{ words: [] }];
  let now = startSeconds;
  for (const { text, seconds, pauseSeconds, endsLine } of words) {
    lines.at(-1)?.words.push({ text, startSeconds: now, endSeconds: now + seconds, confidence: 1 });
    now += seconds + pauseSeconds;
    if (endsLine) lines.push({ words: [] });
  }
  const metadata = { language: "en", languageConfidence: 1, model: "test" };
  return { lines, durationSeconds: now + 2, metadata };
}

/** A sentence at a normal pace: 15 letters per second. */
function say(text: string, startSeconds?: number): TimedText {
  const words = (text.match(/\S+\s*/g) ?? []).map((word) => ({
    text: word,
    seconds: word.length / 15,
    pauseSeconds: 0,
    endsLine: word.includes("\n"),
  }));
  return speak(words, startSeconds);
}

const punctuation = fc.constantFrom("", "", "", "", ",", ".", "?");
const spokenAtPace = fc
  .record({
    letters: fc.integer({ min: 1, max: 14 }),
    slowness: fc.double({ min: 0.05, max: 0.4, noNaN: true }),
    pauseSeconds: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 4, noNaN: true })),
    mark: punctuation,
    endsLine: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  })
  .map(
    ({ letters, slowness, pauseSeconds, mark, endsLine }): Spoken => ({
      text: `${"a".repeat(letters)}${mark}${endsLine ? "\n" : " "}`,
      seconds: letters * slowness,
      pauseSeconds,
      endsLine,
    }),
  );
const speeches = fc.array(spokenAtPace, { minLength: 1, maxLength: 60 }).map((words) => speak(words));
const oddWords = fc.record({
  text: fc.constantFrom("x".repeat(100), "語".repeat(30), "👩‍👩‍👧 ", " ", "a", "<b> & --> ", "שלום "),
  seconds: fc.double({ min: 0, max: 12, noNaN: true }),
  pauseSeconds: fc.double({ min: 0, max: 3, noNaN: true }),
  endsLine: fc.boolean(),
});
const oddSpeeches = fc.array(oddWords, { maxLength: 40 }).map((words) => speak(words));

const secondsOf = (cue: Cue) => cue.endSeconds - cue.startSeconds;
const squash = (text: string) => text.replace(/\s+/gu, "");
const wordCount = (cue: Cue) => cue.rows.join(" ").split(" ").length;

describe("layOutCues", () => {
  it("[Y4] shows the whole text on at most two rows of 42 letters, in order and without overlap", () => {
    fc.assert(
      fc.property(fc.oneof(speeches, oddSpeeches), (text) => {
        const cues = layOutCues(text);
        expect(squash(cues.map((cue) => cue.rows.join(" ")).join(" "))).toBe(squash(joinLines(text)));
        cues.forEach((cue, index) => {
          expect(cue.rows.length).toBeLessThanOrEqual(2);
          for (const row of cue.rows) expect(displayWidth(row)).toBeLessThanOrEqual(42);
          expect(cue.startSeconds).toBeGreaterThanOrEqual(cues[index - 1]?.endSeconds ?? 0);
          expect(secondsOf(cue)).toBeLessThanOrEqual(7.000001);
          expect(cue.endSeconds).toBeLessThanOrEqual(text.durationSeconds);
        });
      }),
      { numRuns: 300 },
    );
  });

  it("[Y4] shows each cue of speech for at least a second", () => {
    fc.assert(
      fc.property(speeches, (text) => {
        for (const cue of layOutCues(text)) expect(secondsOf(cue)).toBeGreaterThan(0.999999);
      }),
      { numRuns: 300 },
    );
  });

  it("[Y4] leaves no word alone if a nearby cue has room for it", () => {
    fc.assert(
      fc.property(speeches, (text) => {
        const cues = layOutCues(text);
        const words = text.lines.flatMap((line) => line.words);
        let wordsBefore = 0;
        for (const [index, cue] of cues.entries()) {
          const before = wordsBefore;
          wordsBefore += wordCount(cue);
          const next = cues[index + 1];
          if (next === undefined || (wordCount(cue) > 1 && wordCount(next) > 1)) continue;
          const [first, last] = [words[before], words[wordsBefore - 1]];
          const nextFirst = words[wordsBefore];
          const nextLast = words[wordsBefore + wordCount(next) - 1];
          const pause = (nextFirst?.startSeconds ?? 0) - (last?.endSeconds ?? 0);
          const seconds = (nextLast?.endSeconds ?? 0) - (first?.startSeconds ?? 0);
          const isOneRow = [...cue.rows, ...next.rows].join(" ").length <= 42;
          expect(isOneRow && pause <= 1 && seconds <= 7).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("[Y4] ends cues with sentences and breaks rows evenly", () => {
    const text = say(
      "It was late in the evening. We walked along the river until the lights of the town were out of sight.",
    );
    expect(layOutCues(text).map((cue) => cue.rows)).toEqual([
      ["It was late in the evening."],
      ["We walked along the river until the", "lights of the town were out of sight."],
    ]);
  });

  it("[Y4] keeps cues on screen long enough to read, and closes gaps that would flicker", () => {
    const text = say(
      "One two three four five six seven eight nine ten eleven, twelve thirteen fourteen fifteen.",
    );
    const [first, second] = layOutCues(text);
    expect((second?.startSeconds ?? 0) - (first?.endSeconds ?? 0)).toBeCloseTo(0.08, 9);
    const quick = speak([{ text: "Immediately yesterday.", seconds: 0.4, pauseSeconds: 3, endsLine: true }]);
    expect(secondsOf(layOutCues(quick)[0] as Cue)).toBeCloseTo(22 / 20, 9);
  });

  it("[Y4] lays out 20,000 words in bounded time", () => {
    const text = speak(
      Array.from({ length: 20_000 }, () => ({ text: "語", seconds: 0.2, pauseSeconds: 0, endsLine: false })),
    );
    const startedAt = performance.now();
    expect(layOutCues(text).length).toBeGreaterThan(20_000 / 42);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it("[Y4] respects another width and number of rows, and loses no word", () => {
    const limits = fc.record({
      rowWidth: fc.integer({ min: 16, max: 80 }),
      rows: fc.integer({ min: 1, max: 3 }),
    });
    fc.assert(
      fc.property(fc.oneof(speeches, oddSpeeches), limits, (text, { rowWidth, rows }) => {
        const cues = layOutCues(text, { rowWidth, rows });
        for (const cue of cues) {
          expect(cue.rows.length).toBeLessThanOrEqual(rows);
          for (const row of cue.rows) expect(displayWidth(row)).toBeLessThanOrEqual(rowWidth);
        }
        expect(squash(cues.flatMap((cue) => cue.rows).join(""))).toBe(squash(joinLines(text)));
      }),
    );
  });

  it("[Y4] uses a third row only if two are not enough", () => {
    const text = say("The captain of the seven northern ships counted every wave. ");
    const rowsAt = (rowWidth: number, rows: number) =>
      layOutCues(text, { rowWidth, rows }).map((cue) => cue.rows.length);
    expect(rowsAt(40, 3)).toEqual([2]);
    expect(rowsAt(24, 3)).toEqual([3]);
    expect(rowsAt(80, 1)).toEqual([1]);
  });
});
