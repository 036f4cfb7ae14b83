import type { FloatTensor } from "../../runtime/graph-session.ts";
import type { Brief } from "./brief.ts";
import { type DecoderRun, MAX_TEXT_TOKENS } from "./decoder-run.ts";
import type { KeywordTrack } from "./keyword-bias.ts";
import {
  type LanguageProbabilities,
  toLanguageProbabilities,
  toNoSpeechProbability,
} from "./language-probabilities.ts";
import { endsInLoop } from "./loops.ts";
import { TokenChoice } from "./token-choice.ts";
import type { Whisper } from "./whisper.ts";

/** More than anybody says: fast Thai, tokenized almost letter by letter, needs ten. */
const MAX_TOKENS_PER_SECOND = 16;
const TOKENS_MORE = 24;

export type RatedTokens = { tokens: number[]; logProbs: number[] };

/** The decoder's output for a window. `logProbs` has one more entry than `tokens`, for the end token. */
export type WrittenWindow = RatedTokens & {
  language: string;
  /** Only tokens with letters or digits: punctuation and the end are probable whatever is said. */
  words: RatedTokens;
  noSpeechProbability: number;
  /** Stopped because of a loop or its length. */
  isBrokenOff: boolean;
};

type Row = {
  index: number;
  window: WrittenWindow;
  tokensMax: number;
  next: number;
  keywords: KeywordTrack;
};

/** A batch of windows, and how they are to be decoded. */
export type WindowBatch = {
  states: readonly FloatTensor[];
  /** Length of each window's audio. */
  seconds: readonly number[];
  /** The likely language of each window: if `chooseLanguages` agrees, the first step is not repeated. */
  expected: readonly string[];
  chooseLanguages(guesses: readonly LanguageProbabilities[]): readonly string[];
  temperature: number;
  random: () => number;
  brief: Brief;
};

/** Decodes several windows in one batch. */
export async function writeWindows(whisper: Whisper, options: WindowBatch): Promise<WrittenWindow[]> {
  const { temperature, random, brief } = options;
  const { tokenizer, settings } = whisper;
  const choice = new TokenChoice(tokenizer, settings);
  const { run, rates: firstRates, first, languages } = await start(whisper, options);
  const rows = languages.map((language, index): Row => {
    const noSpeechProbability = toNoSpeechProbability(first[index] ?? new Float32Array(), tokenizer);
    const words = { tokens: [], logProbs: [] };
    const window = { language, tokens: [], logProbs: [], words, noSpeechProbability, isBrokenOff: false };
    const tokensMax = TOKENS_MORE + Math.ceil((options.seconds[index] ?? 0) * MAX_TOKENS_PER_SECOND);
    const roomMax = MAX_TEXT_TOKENS - brief.promptTokens.length;
    return { index, window, tokensMax: Math.min(tokensMax, roomMax), next: 0, keywords: brief.bias.start() };
  });
  const written: WrittenWindow[] = [];
  let rates = firstRates;
  while (rows.length > 0) {
    // Backwards, because removing a row moves later ones up.
    for (let at = rows.length - 1; at >= 0; at--) {
      const row = rows[at]!;
      const isFirst = row.window.logProbs.length === 0;
      const { boosts } = row.keywords;
      const { id, logProb } = choice.choose(rates[at]!, { isFirst, temperature, random, boosts });
      row.keywords.push(id);
      row.window.logProbs.push(logProb);
      if (id !== tokenizer.endOfText) row.window.tokens.push(id);
      if (tokenizer.isWord(id)) {
        row.window.words.tokens.push(id);
        row.window.words.logProbs.push(logProb);
      }
      row.window.isBrokenOff = row.window.tokens.length === row.tokensMax || endsInLoop(row.window.tokens);
      row.next = id;
      if (id !== tokenizer.endOfText && !row.window.isBrokenOff) continue;
      written[row.index] = row.window;
      run.dropRow(at);
      rows.splice(at, 1);
    }
    if (rows.length === 0) break;
    const step = await run.feed(rows.map(({ next }) => [next]));
    rates = step.rateNext(0);
  }
  return written;
}

type Start = {
  run: DecoderRun;
  /** The decoder's logits after the whole prompt. */
  rates: Float32Array[];
  /** The logits after the start token alone, without a prompt. */
  first: Float32Array[];
  languages: readonly string[];
};

async function start(
  whisper: Whisper,
  options: Pick<WindowBatch, "states" | "expected" | "chooseLanguages" | "brief">,
): Promise<Start> {
  const { tokenizer } = whisper;
  const { promptTokens, taskToken } = options.brief;
  const prompt = promptTokens.length === 0 ? [] : [tokenizer.startOfPrevious, ...promptTokens];
  const feed = async (languages: readonly string[], before: readonly number[]) => {
    const run = whisper.startDecoding(options.states);
    // No timestamps: times come from the attention.
    const commands = languages.map((language) => [
      ...before,
      tokenizer.startOfTranscript,
      getLanguageId(whisper, language),
      taskToken,
      tokenizer.noTimestamps,
    ]);
    const answer = await run.feed(commands);
    const rates = answer.rateNext((commands[0]?.length ?? 0) - 1);
    return { run, rates, first: answer.rateNext(before.length), languages };
  };
  // Language and speech probability are read without the prompt, which would bias them.
  const guessed = await feed(options.expected, []);
  const guesses = guessed.first.map((rates) => toLanguageProbabilities(rates, tokenizer));
  const languages = options.chooseLanguages(guesses);
  const isAsGuessed = languages.every((language, row) => language === options.expected[row]);
  if (isAsGuessed && prompt.length === 0) return guessed;
  // Copied: the next run reuses the memory.
  const first = guessed.first.map((rates) => rates.slice());
  return { ...(await feed(languages, prompt)), first };
}

function getLanguageId({ tokenizer }: Whisper, language: string): number {
  const id = tokenizer.languageIds.get(language);
  if (id === undefined) throw new RangeError(`Whisper does not support the language ${language}`);
  return id;
}
