import { expect, it } from "vitest";
import type { DecoderRun } from "./decoder-run.ts";
import { KeywordBias } from "./keyword-bias.ts";
import type { WhisperTokenizer } from "./tokenizer.ts";
import type { Whisper } from "./whisper.ts";
import { writeWindows } from "./write-windows.ts";

const END = 1000;
const tokenizer = {
  startOfTranscript: END + 1,
  transcribe: END + 2,
  noTimestamps: END + 3,
  noSpeech: END + 4,
  endOfText: END,
  languageIds: new Map([["th", END + 5]]),
  isWord: (id: number) => id < END && id % 2 === 0,
} as Partial<WhisperTokenizer> as WhisperTokenizer;

/** A decoder that would write up to this many tokens, all different. */
function makeWhisper(textTokens: number): Whisper {
  const startDecoding = () => {
    let step = 0;
    const feed = () => {
      const logits = new Float32Array(END + 6);
      logits[step < textTokens ? step : END] = 20;
      step++;
      return Promise.resolve({ rateNext: () => [logits] });
    };
    return { feed, dropRow() {} } as Partial<DecoderRun> as DecoderRun;
  };
  const settings = { suppressed: [], suppressedAtStart: [] };
  return { tokenizer, settings, startDecoding } as Partial<Whisper> as Whisper;
}

async function write(textTokens: number, seconds: number, promptTokens: number[] = []) {
  const [window] = await writeWindows(makeWhisper(textTokens), {
    states: [{ data: new Float32Array(), shape: [1, 0, 0] }],
    seconds: [seconds],
    expected: ["th"],
    chooseLanguages: () => ["th"],
    temperature: 0,
    random: () => 0,
    brief: { taskToken: tokenizer.transcribe, promptTokens, bias: new KeywordBias([]) },
  });
  return window;
}

it("[V5] a text may fill the decoder's context, as 30 s of Thai does", async () => {
  expect(await write(301, 30)).toMatchObject({ isBrokenOff: false, tokens: { length: 301 } });
  expect(await write(900, 30)).toMatchObject({ isBrokenOff: true, tokens: { length: 440 } });
});

it("[V10] a prompt shares the decoder's context", async () => {
  expect(await write(900, 30, Array(100).fill(7))).toMatchObject({ tokens: { length: 340 } });
});

it("[V5] log probabilities of words are kept apart from those of punctuation and the end token", async () => {
  const window = await write(5, 30);
  expect(window).toMatchObject({ logProbs: { length: 6 }, words: { tokens: [0, 2, 4] } });
  expect(window?.words.logProbs).toEqual([0, 2, 4].map((n) => window?.logProbs[n]));
});

it("[V5] a text that nobody could say in that time is cut short", async () => {
  expect(await write(30, 2)).toMatchObject({ isBrokenOff: false, tokens: { length: 30 } });
  expect(await write(900, 2)).toMatchObject({ isBrokenOff: true, tokens: { length: 56 } });
});
