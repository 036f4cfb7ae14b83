import { expect, it } from "vitest";
import type { Whisper } from "../networks/whisper/whisper.ts";
import { makeWindow } from "./speech-windows.ts";
import { makeLetterSound, makeLetterWhisper } from "./support/letter-whisper.ts";
import { timeTranscript } from "./time-transcript.ts";

const TEXT = "這個著名的餅乾";

/** The words of a second in which the text is spoken from 0.2 s on, with every letter certain. */
async function write(language: string, isTranslated = false) {
  const { whisper } = makeLetterWhisper();
  const samples = makeLetterSound([{ text: TEXT, startSeconds: 0.2 }], 1);
  const tokens = Array.from(TEXT, (letter) => letter.codePointAt(0) ?? 0);
  const logProbs = [...tokens.map(() => 0), 0];
  const toText = (ids: readonly number[]) => String.fromCodePoint(...ids);
  const tokenizer = {
    ...whisper.tokenizer,
    languageIds: new Map([[language, 1]]),
    decode: toText,
    toBytes: (ids: readonly number[]) => Buffer.from(toText(ids)),
  };
  return timeTranscript(
    { ...whisper, tokenizer } as unknown as Whisper,
    makeWindow([{ sourceFrame: 0, lengthFrames: samples.length }]),
    {
      transcript: {
        language,
        tokens,
        logProbs,
        words: { tokens, logProbs },
        noSpeechProbability: 0,
        isBrokenOff: false,
        isGarbled: false,
        text: TEXT,
      },
      states: await whisper.encode(samples),
      samples,
      isTranslated,
    },
  );
}

it("[V6] returns Chinese in simplified characters, with the times of the original ones", async () => {
  const words = await write("zh");
  expect(words.map(({ text }) => text).join("")).toBe("这个著名的饼干");
  expect(words[0]?.startSeconds).toBeCloseTo(0.2, 1);
  expect(words.map(({ confidence }) => confidence)).toEqual(words.map(() => 1));
});

it("[V6] leaves other languages unchanged", async () => {
  expect((await write("ja")).map(({ text }) => text).join("")).toBe(TEXT);
});

it("[V11] spreads the words of a translation over the window, with the decoder's own confidence", async () => {
  const words = await write("es", true);
  expect(words[0]?.startSeconds).toBe(0);
  expect(words.at(-1)?.endSeconds).toBeCloseTo(1, 3);
  expect(words.map(({ confidence }) => confidence)).toEqual(words.map(() => 1));
});
