import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinWords } from "../text/timed-text.ts";
import { breakLines } from "./break-lines.ts";

const speak = (words: string[], pauses: Record<number, number> = {}) => {
  let now = 0;
  return words.map((text, n) => {
    const startSeconds = now;
    now += 0.3;
    const endSeconds = now;
    now += pauses[n] ?? 0.05;
    return { text, startSeconds, endSeconds, confidence: 1 };
  });
};

describe("[V8] lines of a transcript", () => {
  it("are sentences, split at long pauses", () => {
    const words = speak(["Yes. ", "We ", "sail ", "now ", "said ", "he"], { 3: 2 });
    expect(breakLines(words).map(joinWords)).toEqual(["Yes.\n", "We sail now\n", "said he\n"]);
  });

  it("are limited by width in scripts with wide letters and no commas", () => {
    const lines = breakLines(speak(Array.from({ length: 50 }, () => "北京")));
    expect(lines.map((line) => joinWords(line).length)).toEqual([81, 21]);
  });

  it("end at a space in Thai, which has no commas", () => {
    const phrase = ["นัก", "กีฏวิทยา", "เรียก", "แมลง", "กลุ่ม", "นี้ "];
    const lines = breakLines(speak(Array.from({ length: 6 }, () => phrase).flat()));
    expect(lines.length).toBe(2);
    for (const line of lines) expect(joinWords(line)).toMatch(/นี้\n$/u);
  });

  it("hold every word once, in order, and end with a line break", () => {
    const texts = fc.array(fc.constantFrom("a ", "word, ", "end. ", "語", "long-winded "), { maxLength: 80 });
    fc.assert(
      fc.property(texts, (words) => {
        const lines = breakLines(speak(words));
        const letters = (text: string) => text.replace(/\s/g, "");
        expect(letters(lines.map(joinWords).join(""))).toBe(letters(words.join("")));
        for (const line of lines) expect(joinWords(line)).toMatch(/\S\n$/u);
      }),
    );
  });
});
