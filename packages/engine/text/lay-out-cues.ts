import { type CueWord, listCueWords } from "./cue-words.ts";
import { displayWidth } from "./display-width.ts";
import { type CueLimits, type RowSplit, RowSplitter } from "./split-rows.ts";
import type { TimedText } from "./timed-text.ts";

/** One subtitle. */
export type Cue = { startSeconds: number; endSeconds: number; rows: string[]; speaker?: number };

const MIN_SECONDS = 1;
const MAX_SECONDS = 7;
/** Gap between two cues, two frames of film, so that the change is visible. */
const GAP_SECONDS = 0.08;
/** A shorter gap would flicker: the earlier cue is extended to the next. */
const FLICKER_SECONDS = 0.5;
/** Comfortable reading speed in letters per second. */
const READING_SPEED = 20;

/**
 * Costs of a cue, in steps of `JOINT_COST`. A lone word costs more than joining it to its neighbour ever can, so there is none if a neighbour has room
 * and is close enough.
 */
const JOINT_COST = { line: 0, sentence: 0, clause: 4, phrase: 10 } as const;
const CUE_COST = 3;
const LONE_WORD_COST = 16;
const ROW_COST_SHARE = 0.1;
const INNER_JOINT_COST = { line: 4, sentence: 2, clause: 0, phrase: 0 } as const;
const LONG_PAUSE_SECONDS = 1;
const LONG_PAUSE_COST = 10;
const TOO_SHORT_COST = 50;
const READING_COST = 2;

/** The words from `start` up to `end` as one cue. */
type Draft = { start: number; end: number; split: RowSplit };

/** The usual limits of television. */
const USUAL_LIMITS: CueLimits = { rowWidth: 42, rows: 2 };

/** The text as subtitles of at most this many rows, split where a reader would pause, each shown for one to seven seconds. */
export function layOutCues(text: TimedText, wanted: Partial<CueLimits> = {}): Cue[] {
  const limits = { ...USUAL_LIMITS, ...wanted };
  const words = listCueWords(text, limits.rowWidth);
  const splitter = new RowSplitter(words, limits);
  const cues = chooseDrafts(words, splitter).map(({ start, end, split }) => ({
    startSeconds: words[start]?.startSeconds ?? 0,
    endSeconds: words[end - 1]?.endSeconds ?? 0,
    rows: splitter.rowsOf(start, split),
    ...toSpeakerField(words[start]),
  }));
  setTimes(cues, text.durationSeconds);
  return cues;
}

function toSpeakerField(word: CueWord | undefined): { speaker?: number } {
  return word?.speaker === undefined ? {} : { speaker: word.speaker };
}

/** The cheapest division of the words into cues, by dynamic programming from the end of the text. */
function chooseDrafts(words: readonly CueWord[], splitter: RowSplitter): Draft[] {
  const costs = new Float64Array(words.length + 1);
  const drafts: Draft[] = [];
  for (let start = words.length - 1; start >= 0; start--) {
    costs[start] = Number.POSITIVE_INFINITY;
    let innerCost = 0;
    for (let end = start + 1; end <= words.length; end++) {
      const split = splitter.findSplit(start, end);
      const isOneSpeaker = words[start]?.speaker === words[end - 1]?.speaker;
      if (split === undefined || !isOneSpeaker || !fitsTime(words, start, end)) break;
      const draft = { start, end, split };
      const letters = splitter.widthOf(start, end);
      const cost = innerCost + costOf(words, draft, letters) + (costs[end] ?? 0);
      innerCost += innerCostAfter(words, end - 1);
      if (cost < (costs[start] ?? 0)) {
        costs[start] = cost;
        drafts[start] = draft;
      }
    }
  }
  return followDrafts(drafts);
}

function followDrafts(drafts: readonly Draft[]): Draft[] {
  const chosen: Draft[] = [];
  for (let draft = drafts[0]; draft !== undefined; draft = drafts[draft.end]) chosen.push(draft);
  return chosen;
}

function fitsTime(words: readonly CueWord[], start: number, end: number): boolean {
  const seconds = (words[end - 1]?.endSeconds ?? 0) - (words[start]?.startSeconds ?? 0);
  return end - start === 1 || seconds <= MAX_SECONDS;
}

/** The cost of not ending a cue after a word. */
function innerCostAfter(words: readonly CueWord[], index: number): number {
  const pause = pauseAfter(words, index);
  const pauseCost = pause > LONG_PAUSE_SECONDS ? LONG_PAUSE_COST * pause : 0;
  return INNER_JOINT_COST[words[index]?.joint ?? "phrase"] + pauseCost;
}

/** The cost of a cue by itself, without the breaks inside it. */
function costOf(words: readonly CueWord[], { start, end, split }: Draft, letters: number): number {
  let cost = CUE_COST + split.cost * ROW_COST_SHARE;
  const joint = words[end - 1]?.joint ?? "phrase";
  cost += JOINT_COST[joint] * Math.max(0, 1 - pauseAfter(words, end - 1) / FLICKER_SECONDS);
  if (end - start === 1) cost += LONE_WORD_COST;
  const nextStart = words[end]?.startSeconds ?? Number.POSITIVE_INFINITY;
  const roomSeconds = nextStart - (words[start]?.startSeconds ?? 0);
  if (roomSeconds < MIN_SECONDS) cost += TOO_SHORT_COST * (1 + MIN_SECONDS - roomSeconds);
  const lettersPerSecond = letters / Math.max(roomSeconds, GAP_SECONDS);
  return cost + READING_COST * Math.max(0, lettersPerSecond - READING_SPEED);
}

function pauseAfter(words: readonly CueWord[], index: number): number {
  const [word, next] = [words[index], words[index + 1]];
  return word === undefined || next === undefined ? 0 : next.startSeconds - word.endSeconds;
}

/** Turns the times of the words into display times, in order and within the audio. */
function setTimes(cues: Cue[], durationSeconds: number): void {
  cues.forEach((cue, index) => {
    const next = cues[index + 1]?.startSeconds;
    const letters = displayWidth(cue.rows.join(" "));
    const wanted = Math.max(MIN_SECONDS, letters / READING_SPEED, cue.endSeconds - cue.startSeconds);
    let end = cue.startSeconds + Math.min(MAX_SECONDS, wanted);
    if (next === undefined) end = Math.min(end, Math.max(durationSeconds, cue.endSeconds));
    else if (next - end < FLICKER_SECONDS) {
      const untilNext = Math.max(next - GAP_SECONDS, Math.min(next, cue.startSeconds + MIN_SECONDS));
      end = Math.min(untilNext, cue.startSeconds + MAX_SECONDS);
    }
    const earliest = cues[index - 1]?.endSeconds ?? 0;
    cue.startSeconds = Math.min(cue.startSeconds, Math.max(earliest, end - MIN_SECONDS));
    cue.endSeconds = end;
  });
}
