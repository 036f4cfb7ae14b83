import { describe, expect, it } from "vitest";
import { anchorWords } from "./anchor-words.ts";

const say = (text: string) =>
  text
    .split(" ")
    .map((word, n) => ({ text: `${word} `, startSeconds: n, endSeconds: n + 0.9, confidence: 0.9 }));
const heardOf = (text: string, spoken: string) =>
  anchorWords(text.split(" "), say(spoken)).heard.map((word) => word?.startSeconds);

describe("anchorWords", () => {
  it("[Z2] matches words regardless of case, accents and punctuation", () => {
    expect(heardOf("— «Ça VA bien, merci!» —", "ca va bien merci")).toEqual([
      undefined,
      0,
      1,
      2,
      3,
      undefined,
    ]);
  });

  it("[Z2] does not trust a short run that may be chance", () => {
    expect(heardOf("the green house on the hill was empty", "we went to the sea by the green house")).toEqual(
      [6, 7, 8, undefined, undefined, undefined, undefined, undefined],
    );
  });

  it("[Z5] recognises a text of another recording", () => {
    const speech = "ask not what your country can do for you ask what you can do for your country";
    const fits = (text: string) => anchorWords(text.split(" "), say(speech)).isFitting;
    expect(fits(speech)).toBe(true);
    expect(fits("my fellow citizens ask not what your country will do")).toBe(true);
    expect(fits("the quick brown fox can jump over what you call a lazy dog")).toBe(false);
    expect(fits("…")).toBe(false);
  });
});
