import { describe, expect, it } from "vitest";
import { spellWords } from "./spell-words.ts";

const lastCodeOf = (text: string) => [text.codePointAt(text.length - 1) ?? 0];

describe("spellWords", () => {
  it("[Z3] gives each letter apart, a space before each word, and tells what is said of them", () => {
    const asked: string[] = [];
    const letters = spellWords(["It's ", "5%\n", "— "], (text) => {
      asked.push(text);
      return lastCodeOf(text);
    });
    expect(asked).toEqual([" I", "t", "'", "s", " 5", "%", " —"]);
    expect(letters.filter(({ isSounded }) => isSounded).map(({ word }) => word)).toEqual([0, 0, 0, 1, 1]);
  });

  it("[Z3] takes a letter with its accent as one, however it is stored", () => {
    expect(spellWords(["e\u0301te\u0301"], lastCodeOf)).toHaveLength(3);
  });
});
