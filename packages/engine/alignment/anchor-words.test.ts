import { describe, expect, it } from "vitest";
import { anchorWords } from "./anchor-words.ts";

const say = (text: string) =>
  text
    .split(" ")
    .map((word, n) => ({ text: `${word} `, startSeconds: n, endSeconds: n + 0.9, confidence: 0.9 }));
const recognisedOf = (text: string, spoken: string) =>
  anchorWords(text.split(" "), say(spoken)).recognised.map((word) => word?.startSeconds);

describe("anchorWords", () => {
  it("[Z2] matches words regardless of case, accents and punctuation", () => {
    expect(recognisedOf("— «Ça VA bien, merci!» —", "ca va bien merci")).toEqual([
      undefined,
      0,
      1,
      2,
      3,
      undefined,
    ]);
  });

  it("[Z2] does not trust a short run that may be chance", () => {
    expect(
      recognisedOf("the green house on the hill was empty", "we went to the sea by the green house"),
    ).toEqual([6, 7, 8, undefined, undefined, undefined, undefined, undefined]);
  });

  it("[Z2] finds words that were recognised in parts, or with a letter more", () => {
    expect(recognisedOf("j'sais plus quoi faire", "je sais plus quoi faire")).toEqual([0, 2, 3, 4]);
    expect(recognisedOf("everybody knows it well", "every body knows it well")).toEqual([0, 2, 3, 4]);
  });

  it("[Z3] tells roughly where words are that were not recognised", () => {
    const later = say("my love").map((word) => ({
      ...word,
      startSeconds: word.startSeconds + 20,
      endSeconds: word.endSeconds + 20,
    }));
    const spoken = [...say("down by the salley gardens"), ...later];
    const text = "down by the salley gardens she did pass my love".split(" ");
    const { recognised, estimated } = anchorWords(text, spoken, [{ startSeconds: 12, endSeconds: 16 }]);
    expect(recognised.slice(5, 8)).toEqual([undefined, undefined, undefined]);
    for (const span of estimated.slice(5, 8)) {
      expect(span?.isSure).toBe(false);
      expect(span?.startSeconds).toBeGreaterThanOrEqual(12);
      expect(span?.endSeconds).toBeLessThanOrEqual(16);
    }
    expect(anchorWords(text, spoken).estimated.slice(5, 8)).toEqual([undefined, undefined, undefined]);
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
