import { WINDOW_SECONDS } from "../networks/whisper/log-mel.ts";
import type { TimeSpan } from "../text/fill-times.ts";
import { normaliseWord } from "../text/normalise-word.ts";
import type { Anchors } from "./anchor-words.ts";
import type { EstimatedSpan } from "./estimate-word-times.ts";
import { type AlignedWord, type AlignmentContext, forceAlign } from "./force-align.ts";

/** Words on each side of a gap that are searched with it, to find its edges. */
const CONTEXT_WORDS = 4;
/** Audio around the words that is included. */
const MARGIN_SECONDS = 0.4;
/** Nobody sings or raps faster: more text between two recognised words is not in the recording. */
const MAX_LETTERS_PER_SECOND = 25;

/** A word found further from where it was expected is another that sounds alike, if it was recognised there, or found with less confidence. */
const FAR_SECONDS = 3;
const SURE_CONFIDENCE = 0.4;

export type GapRetry = Pick<Anchors, "recognised" | "estimated"> & {
  words: readonly string[];
  context: AlignmentContext;
  durationSeconds: number;
};

/** Words that were not recognised, from `start` up to `end`. */
type Gap = { start: number; end: number };
/** A gap with recognised neighbours, from `first` up to `behind`, and where all of them are. */
type Search = Gap & { first: number; behind: number; span: TimeSpan };

/** The times of recognised words, and of those found between them. */
export async function retryGaps(work: GapRetry): Promise<(AlignedWord | undefined)[]> {
  const { words, recognised, estimated, context } = work;
  const placed: (AlignedWord | undefined)[] = [...recognised];
  const limits = listLimits(work);
  const gaps = listGaps(work).filter((gap) => mayBeSung(work, gap, limits));
  for (const gap of joinGaps(work, gaps)) {
    const { first, behind, start, end, span } = makeSearch(work, gap);
    const found = await forceAlign(context, span, words.slice(first, behind));
    found.forEach((word, n) => {
      const place = first + n;
      const isOwn = place >= start && place < end && recognised[place] === undefined;
      if (isOwn && word && isCredible(word, estimated[place], limits[place])) placed[place] = word;
    });
  }
  return placed;
}

/** For each word the time between the recognised words around it. */
function listLimits({ recognised, durationSeconds }: GapRetry): TimeSpan[] {
  let startSeconds = 0;
  const limits = recognised.map((word) => {
    const limit = { startSeconds, endSeconds: durationSeconds };
    startSeconds = word?.endSeconds ?? startSeconds;
    return limit;
  });
  let endSeconds = durationSeconds;
  for (const [index, limit] of [...limits.entries()].reverse()) {
    limit.endSeconds = endSeconds;
    endSeconds = recognised[index]?.startSeconds ?? endSeconds;
  }
  return limits;
}

/** A word that the recording seems not to have is believed only between recognised words, not within one of them. */
function isCredible(
  word: AlignedWord,
  estimated: EstimatedSpan | undefined,
  limit: TimeSpan | undefined,
): boolean {
  if (estimated === undefined) {
    const middle = (word.startSeconds + word.endSeconds) / 2;
    return limit !== undefined && middle >= limit.startSeconds && middle <= limit.endSeconds;
  }
  if (!estimated.isSure && word.confidence >= SURE_CONFIDENCE) return true;
  return Math.abs(word.startSeconds - estimated.startSeconds) <= FAR_SECONDS;
}

/** Punctuation is not spoken: it neither makes a gap nor ends one. */
export const isSaid = (word: string) => normaliseWord(word) !== "";

/** Runs of unrecognised words. */
function listGaps({ words, recognised }: GapRetry): Gap[] {
  const gaps: Gap[] = [];
  let isOpen = false;
  words.forEach((word, index) => {
    const last = gaps.at(-1);
    if (recognised[index] !== undefined) isOpen = false;
    else if (isSaid(word)) {
      if (isOpen && last) last.end = index + 1;
      else gaps.push({ start: index, end: index + 1 });
      isOpen = true;
    }
  });
  return gaps;
}

/** Whether there is time for any of a gap's words. */
function mayBeSung(
  { words, estimated }: GapRetry,
  { start, end }: Gap,
  limits: readonly TimeSpan[],
): boolean {
  if (estimated.slice(start, end).some((span) => span !== undefined)) return true;
  // No word of a gap is recognised, so all have the same limits.
  const { startSeconds = 0, endSeconds = 0 } = limits[start] ?? {};
  const letters = words.slice(start, end).reduce((sum, word) => sum + normaliseWord(word).length, 0);
  return letters <= MAX_LETTERS_PER_SECOND * (endSeconds - startSeconds);
}

/** Merges gaps that fit one window. */
function joinGaps(work: GapRetry, gaps: readonly Gap[]): Gap[] {
  const joined: Gap[] = [];
  for (const gap of gaps) {
    const last = joined.at(-1);
    const both = last && { start: last.start, end: gap.end };
    if (both && isOneWindow(makeSearch(work, both).span)) joined[joined.length - 1] = both;
    else joined.push(gap);
  }
  return joined;
}

const isOneWindow = ({ startSeconds, endSeconds }: TimeSpan) => endSeconds - startSeconds <= WINDOW_SECONDS;

function makeSearch({ words, recognised, durationSeconds }: GapRetry, { start, end }: Gap): Search {
  const findLast = (from: number, step: 1 | -1) => {
    let last: number | undefined;
    let count = 0;
    for (let place = from; place in words && count < CONTEXT_WORDS; place += step) {
      if (recognised[place] !== undefined) {
        last = place;
        count++;
      } else if (isSaid(words[place] ?? "")) break;
    }
    return last;
  };
  const first = findLast(start - 1, -1) ?? start;
  const behind = (findLast(end, 1) ?? end - 1) + 1;
  const startSeconds = first < start ? (recognised[first]?.startSeconds ?? 0) : 0;
  const endSeconds = behind > end ? recognised[behind - 1]?.endSeconds : undefined;
  const span = {
    startSeconds: Math.max(0, startSeconds - MARGIN_SECONDS),
    endSeconds: Math.min(durationSeconds, (endSeconds ?? durationSeconds) + MARGIN_SECONDS),
  };
  return { start, end, first, behind, span };
}
