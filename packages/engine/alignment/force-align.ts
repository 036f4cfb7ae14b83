import { z } from "zod";
import type { FrameSource } from "../dsp/sources/frame-source.ts";
import type { LineLog } from "../files/line-log.ts";
import { SPEECH_RATE_HZ, WINDOW_SECONDS } from "../networks/whisper/log-mel.ts";
import type { Whisper } from "../networks/whisper/whisper.ts";
import { timeWords } from "../networks/whisper/word-timing/time-words.ts";
import type { TimeSpan } from "../text/fill-times.ts";

const alignedWordSchema = z.object({
  startSeconds: z.number(),
  endSeconds: z.number(),
  confidence: z.number(),
});

export type AlignedWord = z.infer<typeof alignedWordSchema>;

/** What was found in a window; null for words that were not timed. */
export const alignedWindowSchema = z.array(alignedWordSchema.nullable());

export type AlignmentContext = {
  /** Mono at 16 kHz. */
  source: FrameSource;
  language: string;
  getWhisper(): Promise<Whisper>;
  /** Results of a killed run, window by window. The same text is searched in the same windows again. */
  log: Pick<LineLog<(AlignedWord | null)[]>, "entries" | "append">;
  /** How many windows have been processed. */
  windows: number;
};

/** In a span of several windows, this much of a window's end is left to the next one, which covers it fully. */
const UNSURE_SECONDS = 8;
/** Speech rate varies, so a window is searched for this much more text than the span's average. */
const TEXT_SURPLUS = 1.6;
const SURPLUS_WORDS = 12;
/** Nobody speaks faster, so such words are not in the span. */
const MAX_LETTERS_PER_SECOND = 40;
/** With less confidence, a word might be anywhere. */
const MIN_CONFIDENCE = 0.2;

/** Finds words, in order, in a span of any length; undefined for those that are not timed. */
export async function forceAlign(
  context: AlignmentContext,
  span: TimeSpan,
  words: readonly string[],
): Promise<(AlignedWord | undefined)[]> {
  const placed: (AlignedWord | undefined)[] = [];
  let startSeconds = span.startSeconds;
  while (placed.length < words.length) {
    const rest = words.slice(placed.length);
    const restSeconds = span.endSeconds - startSeconds;
    if (countLetters(rest) > MAX_LETTERS_PER_SECOND * Math.max(0, restSeconds) * TEXT_SURPLUS) break;
    const isLast = restSeconds <= WINDOW_SECONDS;
    const window = { startSeconds, endSeconds: isLast ? span.endSeconds : startSeconds + WINDOW_SECONDS };
    const candidates = isLast ? rest : takeCandidates(rest, WINDOW_SECONDS / restSeconds);
    const found = await recall(context, () =>
      alignWindow(context, { ...window, isOpenEnded: !isLast }, candidates),
    );
    if (isLast) return [...placed, ...found];
    const kept = takeSure(found, window.endSeconds - UNSURE_SECONDS);
    placed.push(...kept);
    startSeconds = kept.at(-1)?.endSeconds ?? window.endSeconds - UNSURE_SECONDS;
  }
  return words.map((_, index) => placed[index]);
}

/** The next window's result: from the log, or computed now. */
async function recall(
  context: AlignmentContext,
  align: () => Promise<(AlignedWord | undefined)[]>,
): Promise<(AlignedWord | undefined)[]> {
  const { log, windows } = context;
  context.windows += 1;
  if (windows === log.entries.length) log.append([(await align()).map((word) => word ?? null)]);
  return (log.entries[windows] ?? []).map((word) => word ?? undefined);
}

async function alignWindow(
  { source, language, getWhisper }: AlignmentContext,
  { startSeconds, endSeconds, isOpenEnded }: TimeSpan & { isOpenEnded: boolean },
  words: readonly string[],
): Promise<(AlignedWord | undefined)[]> {
  const startFrame = Math.round(startSeconds * SPEECH_RATE_HZ);
  const lengthFrames = Math.min(
    Math.round((endSeconds - startSeconds) * SPEECH_RATE_HZ),
    source.lengthFrames - startFrame,
  );
  const [samples = new Float32Array()] = source.read(startFrame, lengthFrames);
  const whisper = await getWhisper();
  const states = await whisper.encode(samples);
  const timed = await timeWords(whisper, { states, samples, language, isOpenEnded }, words);
  return timed.map((word) => {
    if (word === undefined || word.confidence < MIN_CONFIDENCE) return undefined;
    return {
      startSeconds: startSeconds + word.startSeconds,
      endSeconds: startSeconds + word.endSeconds,
      confidence: word.confidence,
    };
  });
}

/** As many words as the window may contain. */
function takeCandidates(words: readonly string[], share: number): string[] {
  const letters = countLetters(words) * share * TEXT_SURPLUS;
  let count = 0;
  for (let sum = 0; count < words.length && sum < letters; count++) sum += words[count]?.length ?? 0;
  return words.slice(0, count + SURPLUS_WORDS);
}

/** The words up to the last one timed before a time. */
function takeSure(
  found: readonly (AlignedWord | undefined)[],
  beforeSeconds: number,
): (AlignedWord | undefined)[] {
  const last = found.findLastIndex((word) => word !== undefined && word.endSeconds <= beforeSeconds);
  return found.slice(0, last + 1);
}

function countLetters(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.trim().length, 0);
}
