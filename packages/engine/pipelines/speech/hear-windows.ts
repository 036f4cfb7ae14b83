import type { FrameSource } from "../../dsp/frame-source.ts";
import { makeBrief } from "../../networks/whisper/brief.ts";
import type { LanguageProbabilities } from "../../networks/whisper/language-probabilities.ts";
import { SAMPLE_RATE_HZ } from "../../networks/whisper/log-mel.ts";
import { averageLogProb } from "../../networks/whisper/transcript-checks.ts";
import type { Whisper } from "../../networks/whisper/whisper.ts";
import type { FloatTensor } from "../../runtime/graph-session.ts";
import type { HearingWishes } from "../engine-request.ts";
import type { HalveNoise } from "./halve-noise.ts";
import { halveWindow } from "./halve-window.ts";
import { LanguageTally } from "./language-tally.ts";
import { partByLanguage } from "./part-by-language.ts";
import { readWindow, type SpeechWindow } from "./speech-windows.ts";
import type { SpokenWindow } from "./spoken-window.ts";
import { timeTranscript } from "./time-transcript.ts";
import { writeTranscripts } from "./write-transcripts.ts";

/** How many of the hundred languages are stored per window. */
const LIKELY_LANGUAGES = 3;
/** A shorter window that was not understood is not heard again in halves. */
const LEAST_HALVED_FRAMES = 10 * SAMPLE_RATE_HZ;
/** A more probable text is kept; speech read in a quiet room has −0.1. */
const SURE_LOG_PROB = -0.15;
/** With less noise than this, half of it is no easier to understand. */
const NOISY_DB = 5;

type EncodedWindow = { window: SpeechWindow; samples: Float32Array; states: FloatTensor };
type TriedWindow = EncodedWindow & {
  result: SpokenWindow;
  isGarbled: boolean;
  /** How probable the text is on average; −∞ without one. */
  logProb: number;
};

export type Hearing = {
  source: FrameSource;
  /** Earlier windows, which tell which language to expect. */
  before: readonly SpokenWindow[];
  random: () => number;
  wishes: HearingWishes;
  /** If given, a noisy window whose text is improbable is transcribed with half of its noise as well. */
  halveNoise?: HalveNoise | undefined;
};

/** Transcribes a batch of windows: words, language, times. Returns the parts of each. */
export async function hearWindows(
  whisper: Whisper,
  windows: readonly SpeechWindow[],
  hearing: Hearing,
): Promise<SpokenWindow[][]> {
  const encoded: EncodedWindow[][] = [];
  for (const window of windows) encoded.push(await encodeParts(whisper, window, hearing));
  const spoken = await hearAll(whisper, encoded.flat(), { ...hearing, atOnce: windows.length });
  return encoded.map((parts) => spoken.splice(0, parts.length).flat());
}

/** Transcribes encoded windows a few at once. One that was not understood is heard again in halves. */
async function hearAll(
  whisper: Whisper,
  encoded: readonly EncodedWindow[],
  hearing: Hearing & { atOnce: number },
): Promise<SpokenWindow[][]> {
  const spoken: SpokenWindow[][] = [];
  while (spoken.length < encoded.length) {
    const batch = encoded.slice(spoken.length, spoken.length + hearing.atOnce);
    const knowing = () => ({ ...hearing, before: [...hearing.before, ...spoken.flat()] });
    for (const tried of await hearBatch(whisper, batch, knowing())) {
      const { result, isGarbled, window, samples } = await hearThroughNoise(whisper, tried, knowing());
      if (!isGarbled || window.lengthFrames < LEAST_HALVED_FRAMES) {
        spoken.push([result]);
        continue;
      }
      const halves: EncodedWindow[] = [];
      for (const half of halveWindow(window, samples)) halves.push(await encode(whisper, half, hearing));
      spoken.push((await hearAll(whisper, halves, knowing())).flat());
    }
  }
  return spoken;
}

/** The window, or the window with half of its noise if its text is more probable then. */
async function hearThroughNoise(
  whisper: Whisper,
  tried: TriedWindow,
  hearing: Hearing,
): Promise<TriedWindow> {
  const { window, result, isGarbled, logProb } = tried;
  const isSilent = !isGarbled && logProb === Number.NEGATIVE_INFINITY;
  if (hearing.halveNoise === undefined || isSilent || logProb > SURE_LOG_PROB) return tried;
  const { samples, snrDb } = await hearing.halveNoise(tried.samples);
  if (snrDb > NOISY_DB) return tried;
  const wishes = { ...hearing.wishes, language: result.language };
  const quieter = { window, samples, states: await whisper.encode(samples) };
  const [again] = await hearBatch(whisper, [quieter], { ...hearing, wishes });
  return again && again.logProb > logProb ? again : tried;
}

async function encode(
  whisper: Whisper,
  window: SpeechWindow,
  { source }: Pick<Hearing, "source">,
): Promise<EncodedWindow> {
  const samples = readWindow(window, source);
  return { window, samples, states: await whisper.encode(samples) };
}

async function encodeParts(
  whisper: Whisper,
  window: SpeechWindow,
  hearing: Hearing,
): Promise<EncodedWindow[]> {
  const whole = await encode(whisper, window, hearing);
  if (hearing.wishes.language !== undefined) return [whole];
  const parts = await partByLanguage(whisper, window, whole.states);
  if (parts.length === 1) return [whole];
  const encoded: EncodedWindow[] = [];
  for (const part of parts) encoded.push(await encode(whisper, part, hearing));
  return encoded;
}

async function hearBatch(
  whisper: Whisper,
  batch: readonly EncodedWindow[],
  { before, wishes, random }: Hearing,
): Promise<TriedWindow[]> {
  const { language, isTranslated = false } = wishes;
  const tally = makeTally(before);
  let probabilities: readonly LanguageProbabilities[] = [];
  const transcripts = await writeTranscripts(whisper, {
    states: batch.map(({ states }) => states),
    seconds: batch.map(({ window }) => toSeconds(window)),
    expected: batch.map(() => language ?? tally.main.language),
    chooseLanguages(found) {
      probabilities = found;
      for (const [row, { window }] of batch.entries()) tally.add(found[row] ?? new Map(), toSeconds(window));
      return batch.map(
        ({ window }, row) => language ?? tally.choose(found[row] ?? new Map(), toSeconds(window)),
      );
    },
    random,
    brief: makeBrief(whisper.tokenizer, wishes),
  });
  const tried: TriedWindow[] = [];
  for (const [row, encoded] of batch.entries()) {
    const transcript = transcripts[row];
    if (transcript === undefined) throw new Error("a window has no transcript");
    const { window, samples, states } = encoded;
    const result = {
      language: transcript.language,
      heard: [...(probabilities[row] ?? [])].sort(([, a], [, b]) => b - a).slice(0, LIKELY_LANGUAGES),
      speechSeconds: toSeconds(window),
      words: await timeTranscript(whisper, window, { transcript, states, samples, isTranslated }),
    };
    const hasText = transcript.tokens.length > 0;
    const logProb = hasText ? averageLogProb(transcript) : Number.NEGATIVE_INFINITY;
    tried.push({ ...encoded, result, isGarbled: transcript.isGarbled, logProb });
  }
  return tried;
}

export function makeTally(windows: readonly SpokenWindow[]): LanguageTally {
  const tally = new LanguageTally();
  for (const { heard, speechSeconds, words } of windows) {
    if (words.length > 0) tally.add(new Map(heard), speechSeconds);
  }
  return tally;
}

function toSeconds(window: SpeechWindow): number {
  return window.lengthFrames / SAMPLE_RATE_HZ;
}
