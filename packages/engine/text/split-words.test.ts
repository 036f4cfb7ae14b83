import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitWords } from "./split-words.ts";

const wordsOf = (text: string) => splitWords(text).map((line) => line.words.map((word) => word.text));

describe("splitWords", () => {
  it("[Z1] preserves the text character by character", () => {
    const pieces = fc.constantFrom(
      "a",
      "Été",
      " ",
      "\n",
      "\r\n",
      "\t",
      "42%",
      "—",
      "「今日は」",
      "ไทย",
      "שלום",
      "👩‍👩‍👧",
      "\u00a0",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(pieces).map((list) => list.join("")),
        ),
        (text) => {
          const words = wordsOf(text).flat();
          expect(words.join("")).toBe(text.trim() === "" ? "" : text);
          for (const word of words) expect(word.trim()).not.toBe("");
        },
      ),
    );
  });

  it("[Z1] keeps lines, numbers, signs and punctuation with the white space after them", () => {
    expect(wordsOf("  Well,  it's 5 %\nof «all»\n\n& more")).toEqual([
      ["  Well,  ", "it's ", "5 ", "%\n"],
      ["of ", "«all»\n\n"],
      ["& ", "more"],
    ]);
  });

  it("[Z1] finds words in scripts without spaces", () => {
    expect(wordsOf("「今日は」とても良い天気です。")).toEqual([
      ["「今日", "は」", "とても", "良い", "天気", "です。"],
    ]);
    expect(wordsOf("สวัสดีชาวโลก ครับ")).toEqual([["สวัสดี", "ชาว", "โลก ", "ครับ"]]);
    expect(wordsOf("ใช้e-mailของคุณ 25ปี๑๒")).toEqual([["ใช้", "e-mail", "ของ", "คุณ ", "25", "ปี๑๒"]]);
    expect(wordsOf("我来到北京\n清华大学")).toEqual([["我", "来到", "北京\n"], ["清华大学"]]);
  });
});
