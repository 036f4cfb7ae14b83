import { KeywordBias } from "./keyword-bias.ts";
import type { WhisperTokenizer } from "./tokenizer.ts";

/** The decoder's prompt, the same for every window. */
export type Brief = {
  /** The token for transcribing or translating. */
  taskToken: number;
  /** Tokens of a text that the transcript continues; may be empty. */
  promptTokens: readonly number[];
  bias: KeywordBias;
};

/** Half of the decoder's context, minus the token before the prompt, as in `whisper/decoding.py`. */
const MAX_PROMPT_TOKENS = 223;

/** A prompt that is too long keeps its end. Keywords come first, because they also bias the token choice. */
export function makeBrief(
  tokenizer: WhisperTokenizer,
  options: { translate?: boolean; prompt?: string; keywords?: readonly string[] },
): Brief {
  const { translate = false, prompt = "", keywords = [] } = options;
  const glossary = keywords.length === 0 ? "" : `${keywords.join(", ")}.`;
  const text = [glossary, prompt.trim()].filter((part) => part !== "").join(" ");
  return {
    taskToken: translate ? tokenizer.translate : tokenizer.transcribe,
    promptTokens: text === "" ? [] : tokenizer.encode(` ${text}`).slice(-MAX_PROMPT_TOKENS),
    bias: new KeywordBias(keywords.map((keyword) => tokenizer.encode(` ${keyword.trim()}`))),
  };
}
