import type { FrameSource } from "../../dsp/frame-source.ts";
import { EngineError } from "../../engine-error.ts";
import { WINDOW_SECONDS } from "../../networks/whisper/log-mel.ts";
import type { Whisper } from "../../networks/whisper/whisper.ts";
import { fillTimes, type TimeSpan } from "../../text/fill-times.ts";
import { normaliseWord } from "../../text/normalise-word.ts";
import { splitWords } from "../../text/split-words.ts";
import type { TimedText, TimedWord } from "../../text/timed-text.ts";
import type { LineLog } from "../line-log.ts";
import { anchorWords } from "./anchor-words.ts";
import { type Listening, type PlacedWord, placeWords } from "./place-words.ts";

/** Words on each side of a gap that are searched with it, to find its edges. */
const CONTEXT_WORDS = 4;
/** Audio around the words that is included. */
const MARGIN_SECONDS = 0.4;
/** Below this confidence it is another text: on TIMIT the right one scores 1.0, others 0.3 to 0.7. */
const LEAST_CONFIDENCE = 0.75;

/** A word found this far from where it was recognised, with this confidence, was recognised in the wrong place. */
const ELSEWHERE_SECONDS = 0.5;
const SURE_CONFIDENCE = 0.5;

export type AlignmentWork = {
  text: string;
  /** The transcript of the recording. */
  spoken: TimedText;
  /** Mono at 16 kHz. */
  source: FrameSource;
  getWhisper(): Promise<Whisper>;
  /** Windows that a killed run has already searched. */
  log: LineLog<(PlacedWord | null)[]>;
};

/**
 * Times every word of a given text. Runs of words that were recognised as written keep their times. The gaps are searched between their
 * neighbours, so only the parts where text and transcript differ run through the network again. What is not found there gets an
 * interpolated time and confidence 0.
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

type Gap = { start: number; end: number };

async function fillGaps(
  work: AlignmentWork,
  words: readonly string[],
  heard: readonly (TimedWord | undefined)[],
): Promise<(PlacedWord | undefined)[]> {
  const placed: (PlacedWord | undefined)[] = [...heard];
  const listening = startListening(work);
  const spanOf = (gap: Gap) => findSpan(work, heard, { ...gap, ...withContext(words, heard, gap) });
  for (const gap of joinGaps(listGaps(words, heard), spanOf)) {
    const { first, behind } = withContext(words, heard, gap);
    const found = await placeWords(listening, spanOf(gap), words.slice(first, behind));
    found.forEach((word, n) => {
      placed[first + n] = preferHeard(heard[first + n], word);
    });
  }
  return placed;
}

function startListening({ source, spoken, getWhisper, log }: AlignmentWork): Listening {
  return { source, language: spoken.metadata.language, getWhisper, log, windows: 0 };
}

/** A recognised word keeps its time, unless it was matched to the wrong line of the text: then the new search is right. */
function preferHeard(heard: TimedWord | undefined, found: PlacedWord | undefined): PlacedWord | undefined {
  if (heard === undefined || found === undefined) return heard ?? found;
  const isElsewhere = Math.abs(found.startSeconds - heard.startSeconds) > ELSEWHERE_SECONDS;
  return isElsewhere && found.confidence >= SURE_CONFIDENCE ? found : heard;
}

/** Punctuation is not spoken: it neither makes a gap nor ends one. */
const isSaid = (word: string) => normaliseWord(word) !== "";

/** Runs of unrecognised words, from `start` up to `end`. */
function listGaps(words: readonly string[], heard: readonly (TimedWord | undefined)[]): Gap[] {
  const gaps: Gap[] = [];
  let isOpen = false;
  words.forEach((word, index) => {
    const last = gaps.at(-1);
    if (heard[index] !== undefined) isOpen = false;
    else if (isSaid(word)) {
      if (isOpen && last) last.end = index + 1;
      else gaps.push({ start: index, end: index + 1 });
      isOpen = true;
    }
  });
  return gaps;
}

/** Merges gaps that fit one window. */
function joinGaps(gaps: readonly Gap[], spanOf: (gap: Gap) => TimeSpan): Gap[] {
  const joined: Gap[] = [];
  for (const gap of gaps) {
    const last = joined.at(-1);
    const both = last && { start: last.start, end: gap.end };
    const span = both && spanOf(both);
    if (both && span && span.endSeconds - span.startSeconds <= WINDOW_SECONDS)
      joined[joined.length - 1] = both;
    else joined.push(gap);
  }
  return joined;
}

/** A gap with its recognised neighbours, if it has any: it begins and ends with one. */
function withContext(
  words: readonly string[],
  heard: readonly (TimedWord | undefined)[],
  { start, end }: Gap,
): { first: number; behind: number } {
  const findLast = (from: number, step: 1 | -1) => {
    let last: number | undefined;
    let count = 0;
    for (let place = from; place in words && count < CONTEXT_WORDS; place += step) {
      if (heard[place] !== undefined) {
        last = place;
        count++;
      } else if (isSaid(words[place] ?? "")) break;
    }
    return last;
  };
  return { first: findLast(start - 1, -1) ?? start, behind: (findLast(end, 1) ?? end - 1) + 1 };
}

function findSpan(
  { spoken }: AlignmentWork,
  heard: readonly (TimedWord | undefined)[],
  { start, end, first, behind }: Gap & { first: number; behind: number },
): TimeSpan {
  const startSeconds = first < start ? (heard[first]?.startSeconds ?? 0) : 0;
  const endSeconds = behind > end ? heard[behind - 1]?.endSeconds : undefined;
  return {
    startSeconds: Math.max(0, startSeconds - MARGIN_SECONDS),
    endSeconds: Math.min(spoken.durationSeconds, (endSeconds ?? spoken.durationSeconds) + MARGIN_SECONDS),
  };
}

/** For a text of which nothing was recognised: searches a recording that fits one window. */
async function searchWhole(
  work: AlignmentWork,
  words: readonly string[],
): Promise<(PlacedWord | undefined)[]> {
  const { durationSeconds } = work.spoken;
  if (durationSeconds <= WINDOW_SECONDS) {
    const span = { startSeconds: 0, endSeconds: durationSeconds };
    const found = await placeWords(startListening(work), span, words);
    const confidence = found.reduce((sum, word) => sum + (word?.confidence ?? 0), 0) / words.length;
    if (confidence >= LEAST_CONFIDENCE) return found;
  }
  throw new EngineError(
    "transcript-unusable",
    "The transcript does not fit the audio: hardly any of its words were recognised in it. Check that it is the text of this recording, in the language that is spoken.",
  );
}
