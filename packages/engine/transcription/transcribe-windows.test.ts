import { expect, it } from "vitest";
import { ArraySource } from "../dsp/sources/array-source.ts";
import type { DecoderRun } from "../networks/whisper/decoder-run.ts";
import type { WhisperTokenizer } from "../networks/whisper/tokenizer.ts";
import type { Whisper } from "../networks/whisper/whisper.ts";
import type { FloatTensor } from "../runtime/graph-session.ts";
import type { NoiseHalver } from "./halve-noise.ts";
import { makeWindow } from "./speech-windows.ts";
import { transcribeWindows } from "./transcribe-windows.ts";

const RATE = 16_000;
const END = 200;
const tokenizer = {
  encode: () => [],
  decode: (tokens: readonly number[]) => String.fromCodePoint(...tokens),
  toBytes: (tokens: readonly number[]) => Uint8Array.from(tokens),
  startOfTranscript: END + 1,
  translate: END + 2,
  noTimestamps: END + 3,
  noSpeech: END + 4,
  endOfText: END,
  languageIds: new Map([["en", END + 5]]),
  isWord: (id: number) => id < END,
} as Partial<WhisperTokenizer> as WhisperTokenizer;

const SURE = 20;
const UNSURE = 5;
/** A word of less than 0.2 is not kept. */
const FAINT = 3.88;

/** Writes the letter of a window's loudest sample. What is longer than `understoodSeconds` gets no token that is more probable than others. */
function makeWhisper(understoodSeconds: number, { isSpeech = true, sureLetter = "", faintLetter = "" } = {}) {
  const encodedSeconds: number[] = [];
  const encode = (samples: Float32Array): Promise<FloatTensor> => {
    const seconds = samples.length / RATE;
    encodedSeconds.push(Math.round(seconds));
    const loudest = samples.reduce((most, value) => Math.max(most, value), 0);
    return Promise.resolve({
      data: Float32Array.of(seconds > understoodSeconds ? 0 : Math.round(1000 * loudest)),
      shape: [1, 1, 1],
    });
  };
  const startDecoding = (states: readonly FloatTensor[]) => {
    const rows = states.map(({ data }) => ({ letter: data[0] ?? 0, step: 0 }));
    const feed = () => {
      const answers = rows.map((row) => {
        const logits = new Float32Array(END + 6);
        const isSure = sureLetter === "" || row.letter === sureLetter.codePointAt(0);
        const isFaint = row.letter === faintLetter.codePointAt(0);
        const ofLetter = isFaint ? FAINT : isSure ? SURE : UNSURE;
        const ofEnd = isFaint || isSure ? SURE : UNSURE;
        if (row.letter > 0) logits[row.step === 0 ? row.letter : END] = row.step === 0 ? ofLetter : ofEnd;
        if (!isSpeech) logits[tokenizer.noSpeech] = SURE;
        row.step += 1;
        return logits;
      });
      return Promise.resolve({ rateNext: () => answers });
    };
    return { feed, dropRow: (at: number) => rows.splice(at, 1) } as unknown as DecoderRun;
  };
  const settings = { suppressed: [], suppressedAtStart: [] };
  const whisper = { tokenizer, settings, encode, startDecoding } as Partial<Whisper> as Whisper;
  return { whisper, encodedSeconds };
}

/** Twenty-four seconds, each louder than the one before, with pauses of 0.2 s after every sixth, the quietest in the middle. */
const sound = Float32Array.from({ length: 24 * RATE }, (_, frame) => {
  const second = frame / RATE;
  return second > 1 && second % 6 < 0.2 ? Math.abs(second - 12.1) / 1e5 : (65 + Math.floor(second)) / 1000;
});

async function transcribe(
  made: ReturnType<typeof makeWhisper>,
  lengths: readonly number[],
  noiseHalver?: NoiseHalver,
) {
  let at = 0;
  const windows = lengths.map((seconds) => {
    const window = makeWindow([{ sourceFrame: at * RATE, lengthFrames: seconds * RATE }]);
    at += seconds;
    return window;
  });
  const parts = await transcribeWindows(made.whisper, windows, {
    source: new ArraySource([sound], RATE),
    before: [],
    random: () => 0.5,
    // Words of a translation are not searched for in the audio.
    options: { language: "en", translate: true },
    noiseHalver,
  });
  return parts.map((part) => part.map(({ words }) => words.map(({ text }) => text.trim()).join(" ")));
}

it("[V5] a window that is not understood is transcribed in halves, and these in halves, in their order", async () => {
  const made = makeWhisper(8);
  expect(await transcribe(made, [24])).toEqual([["F", "L", "R", "X"]]);
  expect(made.encodedSeconds).toEqual([24, 12, 12, 6, 6, 6, 6]);
});

it("[V5] words stay in the windows they were said in, and what is short and not understood is dropped", async () => {
  expect(await transcribe(makeWhisper(8), [6, 12, 6])).toEqual([["F"], ["L", "R"], ["X"]]);
  const made = makeWhisper(5);
  expect(await transcribe(made, [12])).toEqual([["", ""]]);
  expect(made.encodedSeconds).toEqual([12, 6, 6]);
});

it("[V5] a window without speech is not transcribed again", async () => {
  const made = makeWhisper(8, { isSpeech: false });
  expect(await transcribe(made, [24])).toEqual([[""]]);
  expect(made.encodedSeconds).toEqual([24]);
});

/** "Half of the noise" raises every letter by one. */
const noisy: NoiseHalver = { sha256: "", halve: async (samples) => samples.map((value) => value + 0.001) };
const quiet: NoiseHalver = { sha256: "", halve: async () => undefined };

it("[V12] a noisy window of improbable text is transcribed with half of its noise as well, and the more probable text counts", async () => {
  const quieter = makeWhisper(8, { sureLetter: "G" });
  expect(await transcribe(quieter, [6], noisy)).toEqual([["G"]]);
  expect(quieter.encodedSeconds).toEqual([6, 6]);
  const noBetter = makeWhisper(8, { sureLetter: "Z" });
  expect(await transcribe(noBetter, [6], noisy)).toEqual([["F"]]);
  expect(noBetter.encodedSeconds).toEqual([6, 6]);
  const notUnderstood = makeWhisper(5);
  expect(await transcribe(notUnderstood, [6], noisy)).toEqual([[""]]);
  expect(notUnderstood.encodedSeconds).toEqual([6, 6]);
});

it("[V12] a more probable text of which no word can be kept does not replace one with words", async () => {
  const made = makeWhisper(8, { sureLetter: "Z", faintLetter: "G" });
  expect(await transcribe(made, [6], noisy)).toEqual([["F"]]);
  const faint = makeWhisper(8, { sureLetter: "Z", faintLetter: "F" });
  expect(await transcribe(faint, [6])).toEqual([[""]]);
  expect(await transcribe(makeWhisper(8, { sureLetter: "Z", faintLetter: "F" }), [6], noisy)).toEqual([
    ["G"],
  ]);
});

it("[V12] a window is transcribed once if its text is probable, if there is little noise, or no speech", async () => {
  for (const [options, halver] of [
    [{ sureLetter: "F" }, noisy],
    [{ sureLetter: "G" }, quiet],
    [{ isSpeech: false }, noisy],
  ] as const) {
    const made = makeWhisper(8, options);
    await transcribe(made, [6], halver);
    expect(made.encodedSeconds).toEqual([6]);
  }
});
