import { NO_SPEAKER, STEPS_PER_SECOND, type Turns } from "../diarization/turns.ts";
import type { TimedLine, TimedText, TimedWord } from "../text/timed-text.ts";

/** Where speakers overlap, a word goes to the most probable speaker. */
type SpokenTurns = Pick<Turns, "speakers" | "voiceCount">;

/** A word outside detected speech belongs to a speaker this close to it. */
const NEAR_STEPS = STEPS_PER_SECOND / 2;

/**
 * Labels every word with its speaker. A transcript's lines are split where the speaker changes; lines of a given text stay and get the
 * speaker of most of their words.
 */
export function labelSpeakers(
  text: TimedText,
  turns: SpokenTurns,
  { keepsLines }: { keepsLines: boolean },
): TimedText {
  let last = 1;
  const lines = text.lines.map(({ words }) => ({
    words: words.map((word) => {
      last = findWordSpeaker(word, turns) ?? last;
      return { ...word, speaker: last };
    }),
  }));
  return { ...text, lines: keepsLines ? lines : lines.flatMap(partLine) };
}

function findWordSpeaker({ startSeconds, endSeconds }: TimedWord, turns: SpokenTurns): number | undefined {
  const from = Math.floor(startSeconds * STEPS_PER_SECOND);
  const to = Math.max(from + 1, Math.ceil(endSeconds * STEPS_PER_SECOND));
  return findMost(turns, from, to) ?? findMost(turns, from - NEAR_STEPS, to + NEAR_STEPS);
}

/** Who speaks most in these steps, from 1 on. */
function findMost({ speakers, voiceCount }: SpokenTurns, from: number, to: number): number | undefined {
  const steps = speakers.subarray(Math.max(0, from), Math.max(0, to)).filter((who) => who !== NO_SPEAKER);
  if (steps.length === 0) return undefined;
  const counts = new Array<number>(voiceCount).fill(0);
  for (const who of steps) counts[who] = (counts[who] ?? 0) + 1;
  return counts.indexOf(Math.max(...counts)) + 1;
}

function partLine({ words }: TimedLine): TimedLine[] {
  const parts: TimedWord[][] = [];
  for (const word of words) {
    const part = parts.at(-1);
    if (part && part[0]?.speaker === word.speaker) part.push(word);
    else parts.push([word]);
  }
  return parts.map((part) => ({
    words: part.map((word, index) =>
      index < part.length - 1 ? word : { ...word, text: `${word.text.trimEnd()}\n` },
    ),
  }));
}
