import { KeywordBias } from "./keyword-bias.ts";
import type { WhisperTokenizer } from "./tokenizer.ts";

/** The decoder's prompt, the same for every window. */
export type Brief = {
  /** The command for writing down or translating. */
  taskToken: number;
  /** Of a text that the one to be written would follow; none where there is none. */
  promptTokens: readonly number[];
  bias: KeywordBias;
};

/** Half of the places a text has in the decoder, less the one before the prompt, as `whisper/decoding.py` has it. */
const PROMPT_TOKENS_MAX = 223;

/** Of what is too long its end counts: keywords come first, since they also guide the choice of tokens. */
export function makeBrief(
  tokenizer: WhisperTokenizer,
  wishes: { isTranslated?: boolean; prompt?: string; keywords?: readonly string[] },
): Brief {
  const { isTranslated = false, prompt = "", keywords = [] } = wishes;
  const glossary = keywords.length === 0 ? "" : `${keywords.join(", ")}.`;
  const text = [glossary, prompt.trim()].filter((part) => part !== "").join(" ");
  return {
    taskToken: isTranslated ? tokenizer.translate : tokenizer.transcribe,
    promptTokens: text === "" ? [] : tokenizer.encode(` ${text}`).slice(-PROMPT_TOKENS_MAX),
    bias: new KeywordBias(keywords.map((keyword) => tokenizer.encode(` ${keyword.trim()}`))),
  };
}
