import { expect, it } from "vitest";
import { normaliseWord } from "./normalise-word.ts";
import { toSimplified } from "./to-simplified.ts";

it("[V6] Chinese is returned in simplified characters, whichever the network wrote", () => {
  expect(toSimplified("這個著名的餅乾，看著就想吃。 ")).toBe("这个著名的饼干，看着就想吃。 ");
  expect(toSimplified("头发里面有面条，皇后在后面")).toBe("头发里面有面条，皇后在后面");
  expect(toSimplified("Chapter 4 ")).toBe("Chapter 4 ");
});

it("[Z2] a text in traditional characters matches a transcript in simplified ones", () => {
  expect(normaliseWord("「後來，")).toBe(normaliseWord("后来"));
  expect(normaliseWord("Später")).not.toBe(normaliseWord("后来"));
});
