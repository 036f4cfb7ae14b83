import { describe, expect, it } from "vitest";
import { makeBrief } from "./brief.ts";
import type { WhisperTokenizer } from "./tokenizer.ts";

/** One token per letter. */
const tokenizer = {
  transcribe: 1000,
  translate: 1001,
  encode: (text: string) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0),
} as Partial<WhisperTokenizer> as WhisperTokenizer;
const promptOf = (options: Parameters<typeof makeBrief>[1]) =>
  String.fromCodePoint(...makeBrief(tokenizer, options).promptTokens);

describe("[V10] [V11] the decoder's prompt", () => {
  it("is only the task token when no hints are given", () => {
    expect(makeBrief(tokenizer, {})).toMatchObject({ taskToken: 1000, promptTokens: [] });
    expect(makeBrief(tokenizer, { translate: true }).taskToken).toBe(1001);
  });

  it("has the keywords before the prompt, and keeps the end of a long prompt", () => {
    expect(promptOf({ keywords: ["Aoife", "ONNX"], prompt: " Ships sail. " })).toBe(
      " Aoife, ONNX. Ships sail.",
    );
    expect(promptOf({ prompt: `${"a".repeat(300)}z` })).toBe(`${"a".repeat(222)}z`);
  });

  it("prefers the token form of keywords within a text", () => {
    const { bias } = makeBrief(tokenizer, { keywords: ["Xi"] });
    expect([...bias.start().boosts.keys()]).toEqual([" ".codePointAt(0)]);
  });
});
