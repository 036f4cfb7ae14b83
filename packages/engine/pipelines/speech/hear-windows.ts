import type { FrameSource } from "../../dsp/frame-source.ts";
import { makeBrief } from "../../networks/whisper/brief.ts";
import type { LanguageProbabilities } from "../../networks/whisper/language-probabilities.ts";
import { SAMPLE_RATE_HZ } from "../../networks/whisper/log-mel.ts";
import type { Whisper } from "../../networks/whisper/whisper.ts";
import type { FloatTensor } from "../../runtime/graph-session.ts";
import type { HearingWishes } from "../engine-request.ts";
import { LanguageTally } from "./language-tally.ts";
import { partByLanguage } from "./part-by-language.ts";
import { readWindow, type SpeechWindow } from "./speech-windows.ts";
import type { SpokenWindow } from "./spoken-window.ts";
import { timeTranscript } from "./time-transcript.ts";
import { writeTranscripts } from "./write-transcripts.ts";

/** How many of the hundred languages are stored per window. */
const LIKELY_LANGUAGES = 3;

type EncodedWindow = { window: SpeechWindow; samples: Float32Array; states: FloatTensor };

export type Hearing = {
  source: FrameSource;
  /** Earlier windows, which tell which language to expect. */
  before: readonly SpokenWindow[];
  random: () => number;
  wishes: HearingWishes;
};

/** Transcribes a batch of windows: words, language, times. Returns the parts of each. */
export async function hearWindows(
  whisper: Whisper,
  windows: readonly SpeechWindow[],
  hearing: Hearing,
): Promise<SpokenWindow[][]> {
  const encoded: EncodedWindow[] = [];
  const partCounts: number[] = [];
  for (const window of windows) {
    const parts = await encodeParts(whisper, window, hearing);
    partCounts.push(parts.length);
    encoded.push(...parts);
  }
  const spoken: SpokenWindow[] = [];
  while (spoken.length < encoded.length) {
    const batch = encoded.slice(spoken.length, spoken.length + windows.length);
    spoken.push(...(await hearBatch(whisper, batch, { ...hearing, before: [...hearing.before, ...spoken] })));
  }
  return partCounts.map((count) => spoken.splice(0, count));
}

async function encodeParts(
  whisper: Whisper,
  window: SpeechWindow,
  hearing: Hearing,
): Promise<EncodedWindow[]> {
  const encode = async (part: SpeechWindow): Promise<EncodedWindow> => {
    const samples = readWindow(part, hearing.source);
    return { window: part, samples, states: await whisper.encode(samples) };
  };
  const whole = await encode(window);
  if (hearing.wishes.language !== undefined) return [whole];
  const parts = await partByLanguage(whisper, window, whole.states);
  if (parts.length === 1) return [whole];
  const encoded: EncodedWindow[] = [];
  for (const part of parts) encoded.push(await encode(part));
  return encoded;
}

async function hearBatch(
  whisper: Whisper,
  batch: readonly EncodedWindow[],
  { before, wishes, random }: Hearing,
): Promise<SpokenWindow[]> {
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
  const spoken: SpokenWindow[] = [];
  for (const [row, { window, samples, states }] of batch.entries()) {
    const transcript = transcripts[row];
    if (transcript === undefined) throw new Error("a window has no transcript");
    spoken.push({
      language: transcript.language,
      heard: [...(probabilities[row] ?? [])].sort(([, a], [, b]) => b - a).slice(0, LIKELY_LANGUAGES),
      speechSeconds: toSeconds(window),
      words: await timeTranscript(whisper, window, { transcript, states, samples, isTranslated }),
    });
  }
  return spoken;
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
