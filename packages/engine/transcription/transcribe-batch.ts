import { makeBrief } from "../networks/whisper/brief.ts";
import type { LanguageProbabilities } from "../networks/whisper/language-probabilities.ts";
import { SPEECH_RATE_HZ } from "../networks/whisper/log-mel.ts";
import { averageLogProb } from "../networks/whisper/transcript-checks.ts";
import type { Whisper } from "../networks/whisper/whisper.ts";
import type { FloatTensor } from "../runtime/graph-session.ts";
import type { TranscriptionOptions } from "../targets/engine-request.ts";
import type { NoiseHalver } from "./halve-noise.ts";
import { makeTally } from "./language-tally.ts";
import type { SpeechWindow } from "./speech-windows.ts";
import type { SpokenWindow } from "./spoken-window.ts";
import { timeTranscript } from "./time-transcript.ts";
import { type WindowTranscript, writeTranscripts } from "./write-transcripts.ts";

/** How many of the hundred languages are stored per window. */
const LIKELY_LANGUAGES = 3;
/** A more probable text is kept; speech read in a quiet room has −0.1. */
const SURE_LOG_PROB = -0.15;

export type EncodedWindow = { window: SpeechWindow; samples: Float32Array; states: FloatTensor };
/** `isGarbled`: there is speech that was not understood. */
export type TranscribedWindow = Omit<EncodedWindow, "states"> & { result: SpokenWindow; isGarbled: boolean };
type Draft = EncodedWindow & { transcript: WindowTranscript };

/** What is known beyond the windows themselves. */
export type BatchContext = {
  /** Earlier windows, which tell which language to expect. */
  before: readonly SpokenWindow[];
  random: () => number;
  options: TranscriptionOptions;
  /** If given, a noisy window whose text is improbable is transcribed with half of its noise as well. */
  noiseHalver?: NoiseHalver | undefined;
};

/** Transcribes encoded windows all at once: words, language, times. */
export async function transcribeBatch(
  whisper: Whisper,
  batch: readonly EncodedWindow[],
  knowledge: BatchContext,
): Promise<TranscribedWindow[]> {
  const { drafts, found } = await draftBatch(whisper, batch, knowledge);
  const transcribed: TranscribedWindow[] = [];
  for (const [row, draft] of drafts.entries()) {
    const { window, samples } = draft;
    const quieter = await draftWithHalfTheNoise(whisper, draft, knowledge);
    const { words, transcript } = await takeProbable(whisper, [draft, ...quieter], knowledge.options);
    const result = {
      language: draft.transcript.language,
      languages: [...(found[row] ?? [])].sort(([, a], [, b]) => b - a).slice(0, LIKELY_LANGUAGES),
      speechSeconds: toSeconds(window),
      words,
    };
    transcribed.push({ window, samples, result, isGarbled: transcript.isGarbled });
  }
  return transcribed;
}

/** The texts of the windows, and how probable each language is in them. */
async function draftBatch(
  whisper: Whisper,
  batch: readonly EncodedWindow[],
  { before, options, random }: BatchContext,
): Promise<{ drafts: Draft[]; found: readonly LanguageProbabilities[] }> {
  const { language } = options;
  const tally = makeTally(before);
  let found: readonly LanguageProbabilities[] = [];
  const transcripts = await writeTranscripts(whisper, {
    states: batch.map(({ states }) => states),
    seconds: batch.map(({ window }) => toSeconds(window)),
    expected: batch.map(() => language ?? tally.main.language),
    chooseLanguages(probabilities) {
      found = probabilities;
      for (const [row, { window }] of batch.entries()) tally.add(found[row] ?? new Map(), toSeconds(window));
      return batch.map(
        ({ window }, row) => language ?? tally.choose(found[row] ?? new Map(), toSeconds(window)),
      );
    },
    random,
    brief: makeBrief(whisper.tokenizer, options),
  });
  const drafts = batch.map((encoded, row) => {
    const transcript = transcripts[row];
    if (transcript === undefined) throw new Error("a window has no transcript");
    return { ...encoded, transcript };
  });
  return { drafts, found };
}

/** The window with half of its noise, if its text is improbable and it is noisy. */
async function draftWithHalfTheNoise(
  whisper: Whisper,
  { window, samples, transcript }: Draft,
  knowledge: BatchContext,
): Promise<Draft[]> {
  const isSilent = transcript.tokens.length === 0 && !transcript.isGarbled;
  if (isSilent || rate(transcript) > SURE_LOG_PROB) return [];
  const quieter = await knowledge.noiseHalver?.halve(samples);
  if (quieter === undefined) return [];
  const encoded = { window, samples: quieter, states: await whisper.encode(quieter) };
  const options = { ...knowledge.options, language: transcript.language };
  return (await draftBatch(whisper, [encoded], { ...knowledge, options })).drafts;
}

/** The words of the most probable text of which any can be found in the audio; without one, no words and the first text. */
async function takeProbable(
  whisper: Whisper,
  drafts: readonly Draft[],
  { translate = false }: TranscriptionOptions,
): Promise<{ words: SpokenWindow["words"]; transcript: WindowTranscript }> {
  const byProbability = drafts.toSorted((a, b) => rate(b.transcript) - rate(a.transcript));
  for (const { window, ...draft } of byProbability) {
    const words = await timeTranscript(whisper, window, { ...draft, isTranslated: translate });
    if (words.length > 0) return { words, transcript: draft.transcript };
  }
  const [first] = drafts;
  if (first === undefined) throw new Error("a window has no transcript");
  return { words: [], transcript: first.transcript };
}

/** How probable a text is on average; −∞ without one. */
function rate(transcript: WindowTranscript): number {
  return transcript.tokens.length > 0 ? averageLogProb(transcript) : Number.NEGATIVE_INFINITY;
}

function toSeconds(window: SpeechWindow): number {
  return window.lengthFrames / SPEECH_RATE_HZ;
}
