import { describe, expect, it } from "vitest";
import { splitWords } from "../text/split-words.ts";
import { markAnnotations } from "./lyrics-annotations.ts";

const sungOf = (text: string) => {
  const lines = splitWords(text);
  const words = lines.flatMap((line) => line.words);
  const isAnnotation = markAnnotations(lines);
  return words.filter((_, n) => !isAnnotation[n]).map((word) => word.text.trim());
};

describe("markAnnotations", () => {
  it("[Z11] lines in square brackets and repeat marks are not sung", () => {
    expect(sungOf("[Chorus]\nla la (x2)\n[Verse 2: Anna]:\noh 3×\n[ all ] of us x10.")).toEqual([
      "la",
      "la",
      "oh",
      "[",
      "all",
      "]",
      "of",
      "us",
    ]);
  });

  it("[Z11] words in brackets within a line, and other words with an x, are", () => {
    expect(sungOf("hey (hey) [hey] you\nx marks xx 2 x2y")).toHaveLength(9);
  });
});
