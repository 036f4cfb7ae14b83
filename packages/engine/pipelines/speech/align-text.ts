import type { FrameSource } from "../../dsp/frame-source.ts";
import { EngineError } from "../../engine-error.ts";
import type { Whisper } from "../../models/whisper/whisper.ts";
import { fillTimes } from "../../text/fill-times.ts";
import { splitWords } from "../../text/split-words.ts";
import type { TimedText, TimedWord } from "../../text/timed-text.ts";
import { anchorWords } from "./anchor-words.ts";
import { type PlacedWord, placeWords } from "./place-words.ts";

/** Words on each side of a gap that are looked for with it, so that its edges are found. */
const CONTEXT_WORDS = 4;
/** Sound around the words that is listened to with them. */
const MARGIN_SECONDS = 0.4;
/** As much as one window holds: so much sound can be searched for a text of which no row was heard. */
const SEARCHABLE_SECONDS = 30;
/** A text that is heard this badly is another one. The right text has 0.9 on TIMIT, another one 0.2. */
const LEAST_CONFIDENCE = 0.4;

export type AlignmentWork = {
  text: string;
  /** What was written down of the recording. */
  spoken: TimedText;
  /** Mono at 16 kHz. */
  source: FrameSource;
  getWhisper(): Promise<Whisper>;
};

/**
 * Times every word of a given text. Rows of words that were heard as they are written keep the times they were heard at. What
 * lies between is looked for between its neighbours, so only the parts of the recording where text and hearing differ are
 * listened to again; what is not found there gets an interpolated time and no confidence.
 */
export async function alignText(work: AlignmentWork): Promise<TimedText> {
  const { spoken } = work;
  const lines = splitWords(work.text);
  const words = lines.flatMap((line) => line.words.map((word) => word.text));
  const said = spoken.lines.flatMap((line) => line.words);
  if (said.length === 0) return { ...spoken, lines: [] };
  const { heard, isFitting } = anchorWords(words, said);
  const placed: (PlacedWord | undefined)[] = isFitting
    ? await fillGaps(work, words, heard)
    : await searchWhole(work, words);
  const times = fillTimes(placed, spoken);
  const timed = words.map((text, index) => ({
    text,
    ...(times[index] ?? { startSeconds: 0, endSeconds: 0 }),
    confidence: placed[index]?.confidence ?? 0,
  }));
  let next = 0;
  const timedLines = lines.map((line) => {
    const first = next;
    next += line.words.length;
    return { words: timed.slice(first, next) };
  });
  return { ...spoken, lines: timedLines };
}

async function fillGaps(
  work: AlignmentWork,
  words: readonly string[],
  heard: readonly (TimedWord | undefined)[],
): Promise<(PlacedWord | undefined)[]> {
  const placed: (PlacedWord | undefined)[] = [...heard];
  for (let index = 0; index < words.length; index++) {
    if (heard[index] !== undefined) continue;
    let end = index;
    while (end < words.length && heard[end] === undefined) end++;
    const found = await fillGap(work, { words, heard, start: index, end });
    found.forEach((word, n) => {
      placed[index + n] = word;
    });
    index = end;
  }
  return placed;
}

/** Looks for the words from `start` to before `end`, with the heard ones beside them. */
async function fillGap(
  { source, spoken, getWhisper }: AlignmentWork,
  gap: { words: readonly string[]; heard: readonly (TimedWord | undefined)[]; start: number; end: number },
): Promise<(PlacedWord | undefined)[]> {
  const { words, heard, start, end } = gap;
  let first = start;
  while (first > 0 && start - first < CONTEXT_WORDS && heard[first - 1] !== undefined) first--;
  let behind = end;
  while (behind < words.length && behind - end < CONTEXT_WORDS && heard[behind] !== undefined) behind++;
  const span = {
    startSeconds: Math.max(0, (first < start ? (heard[first]?.startSeconds ?? 0) : 0) - MARGIN_SECONDS),
    endSeconds: Math.min(
      spoken.durationSeconds,
      (behind > end ? (heard[behind - 1]?.endSeconds ?? 0) : spoken.durationSeconds) + MARGIN_SECONDS,
    ),
  };
  const { language } = spoken.metadata;
  const found = await placeWords({ source, language, getWhisper }, span, words.slice(first, behind));
  return found.slice(start - first, end - first);
}

/** The last chance of a text none of whose rows was heard: a short recording is searched for it. */
async function searchWhole(
  { source, spoken, getWhisper }: AlignmentWork,
  words: readonly string[],
): Promise<(PlacedWord | undefined)[]> {
  const { durationSeconds, metadata } = spoken;
  if (durationSeconds <= SEARCHABLE_SECONDS) {
    const span = { startSeconds: 0, endSeconds: durationSeconds };
    const found = await placeWords({ source, language: metadata.language, getWhisper }, span, words);
    const confidence = found.reduce((sum, word) => sum + (word?.confidence ?? 0), 0) / words.length;
    if (confidence >= LEAST_CONFIDENCE) return found;
  }
  throw new EngineError(
    "transcript-unusable",
    "The transcript does not fit the audio: hardly any of its words are heard in it. Check that it is the text of this recording, in the language that is spoken.",
  );
}
