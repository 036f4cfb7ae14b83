import type { TimedWord } from "@stemwright/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeEditHistory } from "./edit-history.ts";
import { editText, placeAligned } from "./edit-text.ts";
import { moveEdge, tapTimes } from "./edit-times.ts";
import { RowHeights } from "./visible-rows.ts";
import { findPlace, findRoom, joinLine, type WordsLine, type WordsLines } from "./words-lines.ts";

const word = (text: string, start: number, end: number, confidence = 0.9): TimedWord => ({
  ...{ text, start, end, confidence },
});
const lines: WordsLines = [
  { words: [word("Seven ", 1, 1.5), word("ships ", 2, 2.5), word("sailed\n", 3, 3.5)] },
  { words: [word("across ", 4, 4.5), word("the ", 4.5, 5), word("sea\n", 6, 6.5)] },
];
const edit = (text: string, line = 0) => editText(lines, { line, text, durationSeconds: 10 });
const textOf = (all: WordsLines) => all.map(joinLine).join("");

describe("editing the text of a line", () => {
  it("keeps the words at both ends, and requests times only for those between", () => {
    const { lines: edited, gap } = edit("Seven big boats sailed");
    expect(textOf(edited)).toBe("Seven big boats sailed\nacross the sea\n");
    expect(edited[0]?.words[0]).toBe(lines[0]?.words[0]);
    expect(edited[0]?.words[3]).toBe(lines[0]?.words[2]);
    expect(edited[0]?.words.slice(1, 3)).toEqual([word("big ", 2, 2.188, 0), word("boats ", 2.188, 2.5, 0)]);
    expect(gap).toEqual({ line: 0, first: 1, count: 2, text: "big boats ", start: 1.5, end: 3 });
    expect(edited[1]).toBe(lines[1]);
  });

  it.each([
    ["at the start", "Eleven ships sailed", { first: 0, count: 1, text: "Eleven ", start: 0, end: 2 }],
    ["at the end", "Seven ships sank", { first: 2, count: 1, text: "sank\n", start: 2.5, end: 4 }],
    ["added behind", "Seven ships sailed away", { first: 3, count: 1, text: "away\n", start: 3.5, end: 4 }],
    ["put between", "Seven old ships sailed", { first: 1, count: 1, text: "old ", start: 1.5, end: 2 }],
  ])("a word %s", (_title, text, gap) => {
    expect(edit(text).gap).toMatchObject(gap);
    expect(textOf(edit(text).lines)).toBe(`${text}\nacross the sea\n`);
  });

  it("aligns a word inserted between two adjacent words together with them", () => {
    const { lines: edited, gap } = edit("across over the sea", 1);
    expect(gap).toEqual({ line: 1, first: 0, count: 3, text: "across over the ", start: 3.5, end: 6 });
    expect(textOf(edited)).toBe("Seven ships sailed\nacross over the sea\n");
    expect(edited[1]?.words[3]).toBe(lines[1]?.words[2]);
  });

  it("deletes words without requesting times, and deletes an emptied line", () => {
    expect(edit("Seven sailed")).toMatchObject({ gap: undefined });
    expect(textOf(edit("Seven sailed").lines)).toBe("Seven sailed\nacross the sea\n");
    expect(textOf(edit("Seven ships").lines)).toBe("Seven ships\nacross the sea\n");
    expect(textOf(edit(" ").lines)).toBe("across the sea\n");
    expect(edit("Seven  ships sailed ").lines).toBe(lines);
  });

  it("returns the typed text with times in order, whatever was typed", () => {
    const typed = fc.array(fc.constantFrom("Seven", "ships", "sailed", "a", "sail", "Sevens"), {
      minLength: 1,
      maxLength: 6,
    });
    fc.assert(
      fc.property(typed, (words) => {
        const { lines: edited } = edit(words.join(" "));
        expect(joinLine(edited[0] as WordsLines[number]).trim()).toBe(words.join(" "));
        let behind = 0;
        for (const { start, end } of edited.flatMap((line) => line.words)) {
          expect(start).toBeGreaterThanOrEqual(behind);
          expect(end).toBeGreaterThanOrEqual(start);
          behind = end;
        }
      }),
    );
  });

  it("recognises words in scripts without spaces", () => {
    const chinese: WordsLines = [{ words: [word("你好", 0, 1), word("世界\n", 1, 2)] }];
    const { lines: edited, gap } = editText(chinese, { line: 0, text: "你好中国", durationSeconds: 3 });
    expect(gap).toMatchObject({ first: 1, text: "中国\n", start: 1, end: 3 });
    expect(textOf(edited)).toBe("你好中国\n");
  });

  it("applies the service's times, unless the words were edited meanwhile", () => {
    const { lines: edited, gap } = edit("Seven big boats sailed");
    if (!gap) throw new Error("there is a gap");
    const estimated = edited[0]?.words.slice(1, 3) ?? [];
    const found = [word("big ", 1.8, 2), word("boats ", 2.1, 2.9)];
    const placed = placeAligned(edited, gap, { estimated, found });
    expect(placed[0]?.words.slice(1, 3)).toEqual(found);
    expect(placed[0]?.words[3]).toBe(lines[0]?.words[2]);
    const meanwhile = editText(edited, {
      line: 0,
      text: "Seven huge boats sailed",
      durationSeconds: 10,
    }).lines;
    expect(placeAligned(meanwhile, gap, { estimated, found })).toBe(meanwhile);
  });
});

describe("editing times", () => {
  const move = (place: { line: number; word: number }, edge: "start" | "end", seconds: number) =>
    moveEdge(lines, { ...place, edge, seconds, durationSeconds: 10 });

  it("moves an edge as far as its neighbours allow, and sets full confidence", () => {
    expect(move({ line: 0, word: 1 }, "start", 1.7)[0]?.words[1]).toEqual(word("ships ", 1.7, 2.5, 1));
    expect(move({ line: 0, word: 1 }, "start", 0)[0]?.words[1]?.start).toBe(1.5);
    expect(move({ line: 0, word: 1 }, "end", 9)[0]?.words[1]?.end).toBe(3);
    expect(move({ line: 0, word: 1 }, "end", 0)[0]?.words[1]?.end).toBe(2.01);
    expect(move({ line: 0, word: 2 }, "end", 9)[0]?.words[2]?.end).toBe(4);
    expect(move({ line: 1, word: 2 }, "end", 99)[1]?.words[2]?.end).toBe(10);
  });

  it("moves the edges of both words if they touch", () => {
    const moved = move({ line: 1, word: 0 }, "end", 4.7)[1]?.words;
    expect(moved?.slice(0, 2)).toEqual([word("across ", 4, 4.7, 1), word("the ", 4.7, 5, 1)]);
    expect(move({ line: 1, word: 1 }, "start", 9)[1]?.words[1]?.start).toBe(4.99);
  });

  it("applies tapped times", () => {
    const line = lines[1] as WordsLines[number];
    const room = { start: 3.5, end: 10 };
    const tapped = tapTimes(line, [3.8, 4.2, 5.5, 7], room).words.map(({ start, end }) => [start, end]);
    expect(tapped).toEqual([
      [3.8, 4.2],
      [4.2, 5.5],
      [5.5, 7],
    ]);
    const stopped = tapTimes(line, [3.8, 6.4], room).words.map(({ start, end }) => [start, end]);
    expect(stopped).toEqual([
      [3.8, 6.4],
      [6.4, 6.41],
      [6.41, 6.5],
    ]);
  });

  it("keeps all words in order and within their line, however edges are dragged and lines tapped", () => {
    const time = fc.double({ min: -1, max: 11, noNaN: true });
    const place = { line: fc.nat(1), word: fc.nat(2) };
    const step = fc.oneof(
      fc.record({ ...place, edge: fc.constantFrom("start" as const, "end" as const), seconds: time }),
      fc.record({ line: fc.nat(1), taps: fc.array(time, { minLength: 1, maxLength: 4 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        let edited = lines;
        for (const given of steps)
          if ("edge" in given) edited = moveEdge(edited, { ...given, durationSeconds: 10 });
          else {
            const { line } = given;
            const taps = given.taps.toSorted((a, b) => a - b);
            const room = findRoom(edited, line, 10);
            edited = edited.with(line, tapTimes(edited[line] as WordsLine, taps, room));
          }
        let behind = 0;
        for (const { start, end } of edited.flatMap(({ words }) => words)) {
          expect(start).toBeGreaterThanOrEqual(behind);
          expect(end).toBeGreaterThanOrEqual(start);
          behind = end;
        }
        expect(behind).toBeLessThanOrEqual(10);
      }),
    );
  });

  it("undoes and redoes, and treats a drag as one step", () => {
    const history = makeEditHistory(lines);
    const first = move({ line: 0, word: 1 }, "start", 1.7);
    history.change(first);
    history.amend(move({ line: 0, word: 1 }, "start", 1.8));
    history.undo();
    expect(history.lines.value).toBe(lines);
    expect([history.canUndo.value, history.canRedo.value]).toEqual([false, true]);
    history.redo();
    expect(history.lines.value[0]?.words[1]?.start).toBe(1.8);
    history.undo();
    history.change(first);
    expect(history.canRedo.value).toBe(false);
  });
});

describe("following the recording", () => {
  it.each([
    [0.9, undefined],
    [1, { line: 0, word: 0 }],
    [1.9, { line: 0, word: 0 }],
    [3.9, { line: 0, word: 2 }],
    [4.5, { line: 1, word: 1 }],
    [99, { line: 1, word: 2 }],
  ])("at %f s", (seconds, place) => {
    expect(findPlace(lines, seconds)).toEqual(place);
  });
});

describe("RowHeights", () => {
  it("shows the rows of a window, and learns their heights", () => {
    const rows = new RowHeights(1000, () => 20);
    expect(rows.totalHeight).toBe(20_000);
    expect(rows.findVisible({ top: 200, height: 100, margin: 20 })).toEqual({ first: 9, behind: 16 });
    expect(rows.measure([[0, 100]])).toBe(true);
    expect(rows.measure([[0, 100]])).toBe(false);
    expect(rows.topOf(1)).toBe(100);
    expect(rows.totalHeight).toBe(20_080);
    expect(rows.findVisible({ top: 0, height: 90, margin: 0 })).toEqual({ first: 0, behind: 1 });
    expect(rows.findVisible({ top: 20_000, height: 100, margin: 0 }).behind).toBe(1000);
    expect(new RowHeights(0, () => 20).findVisible({ top: 0, height: 90, margin: 0 })).toEqual({
      first: 0,
      behind: 0,
    });
  });
});
