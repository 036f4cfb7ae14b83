import { describe, expect, it } from "vitest";
import { makeBrief } from "./brief.ts";
import type { WhisperTokenizer } from "./tokenizer.ts";

/** A token for each letter. */
const tokenizer = {
  transcribe: 1000,
  translate: 1001,
  encode: (text: string) => Array.from(text, (letter) => letter.codePointAt(0) ?? 0),
} as Partial<WhisperTokenizer> as WhisperTokenizer;
const promptOf = (wishes: Parameters<typeof makeBrief>[1]) =>
  String.fromCodePoint(...makeBrief(tokenizer, wishes).promptTokens);

describe("[V10] [V11] what the decoder is told", () => {
  it("is the task, and nothing else where nothing is wished", () => {
    expect(makeBrief(tokenizer, {})).toMatchObject({ taskToken: 1000, promptTokens: [] });
    expect(makeBrief(tokenizer, { isTranslated: true }).taskToken).toBe(1001);
  });

  it("has the keywords before the prompt, and of a long one the end", () => {
    expect(promptOf({ keywords: ["Aoife", "ONNX"], prompt: " Ships sail. " })).toBe(
      " Aoife, ONNX. Ships sail.",
    );
    expect(promptOf({ prompt: `${"a".repeat(300)}z` })).toBe(`${"a".repeat(222)}z`);
  });

  it("prefers keywords that stand within a text", () => {
    const { bias } = makeBrief(tokenizer, { keywords: ["Xi"] });
    expect([...bias.start().boosts.keys()]).toEqual([" ".codePointAt(0)]);
  });
});
