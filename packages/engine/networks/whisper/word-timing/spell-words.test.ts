import { describe, expect, it } from "vitest";
import { spellWords } from "./spell-words.ts";

const lastCodeOf = (text: string) => [text.codePointAt(text.length - 1) ?? 0];

describe("spellWords", () => {
  it("[Z3] returns single letters, a space before each word, and marks those that are spoken", () => {
    const asked: string[] = [];
    const letters = spellWords(["It's ", "5%\n", "— "], (text) => {
      asked.push(text);
      return lastCodeOf(text);
    });
    expect(asked).toEqual([" I", "t", "'", "s", " 5", "%", " —"]);
    expect(letters.filter(({ isSounded }) => isSounded).map(({ word }) => word)).toEqual([0, 0, 0, 1, 1]);
  });

  it("[Z3] keeps a letter and its accent together, in every Unicode form", () => {
    expect(spellWords(["e\u0301te\u0301"], lastCodeOf)).toHaveLength(3);
  });
});
