/** Letters of a text or of what was recognised, one number each. */
export type LetterRow = {
  /** Code points; `UNKNOWN_LETTER` where a voice is recognised but nothing was recognised. */
  letters: Int32Array;
  /** `WORD_STARTS` where a word starts, `LINE_STARTS` where a line does too, else 0. */
  starts: Uint8Array;
};

/** A recognised row; a doubtful letter counts for little, whether it is equal or not. */
export type RecognisedRow = LetterRow & { isDoubtful: Uint8Array };

export const UNKNOWN_LETTER = 0;
export const WORD_STARTS = 1;
export const LINE_STARTS = 2;

/**
 * Scores of a pair of letters and of leaving letters out. An unknown letter goes with anything, so unrecognised singing takes up about as
 * much text as is sung in its time. Leaving out is dear once and cheap for long: a verse that is not sung, or not written, is left out
 * as a whole rather than scattered over the letters of another.
 */
const EQUAL = 2;
const OTHER = -1;
const DOUBTFUL_EQUAL = 1;
const DOUBTFUL_OTHER = -0.3;
const UNKNOWN = -0.1;
const WORD_START = 1;
/** A single letter more or less is a matter of spelling: "would" for "wood". */
const SPELLING = -1.5;
const LEAVE_OUT = -5;
/** What is sung but not written stands between lines, hardly within a word. */
const LEAVE_OUT_AT_LINE = -4;
const LEAVE_OUT_IN_WORD = -8;
const LEAVE_OUT_LETTER = -0.3;

/** The state a cell is reached from, in two bits for each of the three states below; two more for a letter passed over before a pair. */
const PAIR = 0;
const WRITTEN_ONLY = 1;
const RECOGNISED_ONLY = 2;
const PASSED_SHIFT = 6;

/**
 * Pairs the letters of a text with recognised ones, both in order, by the best total score (Gotoh, 1982). Returns for each letter of the
 * text the recognised one, or −1. Holds a byte for each pair of letters.
 */
export function matchLetters(written: LetterRow, recognised: RecognisedRow): Int32Array {
  const width = recognised.letters.length + 1;
  const steps = new Uint8Array((written.letters.length + 1) * width);
  const end = fillSteps(steps, written, recognised);
  return trace(steps, end, { rows: written.letters.length, columns: recognised.letters.length });
}

function fillSteps(steps: Uint8Array, written: LetterRow, recognised: RecognisedRow): number {
  const width = recognised.letters.length + 1;
  const lowest = Number.NEGATIVE_INFINITY;
  const pairs = new Float64Array(width).fill(lowest);
  const writtenOnly = new Float64Array(width).fill(lowest);
  const recognisedOnly = new Float64Array(width).fill(lowest);
  // The best score and state of each cell, one row up and two.
  const above = { scores: new Float64Array(width).fill(lowest), states: new Uint8Array(width) };
  const higher = { scores: new Float64Array(width).fill(lowest), states: new Uint8Array(width) };
  pairs[0] = 0;
  for (let column = 1; column < width; column++) {
    recognisedOnly[column] = LEAVE_OUT_AT_LINE + column * LEAVE_OUT_LETTER;
    steps[column] = (column === 1 ? PAIR : RECOGNISED_ONLY) << 4;
  }
  for (let row = 1; row <= written.letters.length; row++) {
    higher.scores.set(above.scores);
    higher.states.set(above.states);
    setBest(above, { pairs, writtenOnly, recognisedOnly });
    const leaveRecognisedOut = toLeaveOut(written, row);
    for (let column = 0; column < width; column++) {
      const last = writtenOnly[column] ?? 0;
      const entered = Math.max(pairs[column] ?? 0, recognisedOnly[column] ?? 0) + LEAVE_OUT;
      let step = WRITTEN_ONLY << 2;
      if (entered > last)
        step = ((pairs[column] ?? 0) >= (recognisedOnly[column] ?? 0) ? PAIR : RECOGNISED_ONLY) << 2;
      writtenOnly[column] = Math.max(last, entered) + LEAVE_OUT_LETTER;
      if (column === 0) {
        pairs[0] = lowest;
        steps[row * width] = step;
        continue;
      }
      let best = above.scores[column - 1] ?? 0;
      let from = above.states[column - 1] ?? 0;
      if (column > 1 && (above.scores[column - 2] ?? 0) + SPELLING > best) {
        best = (above.scores[column - 2] ?? 0) + SPELLING;
        from = (above.states[column - 2] ?? 0) | (RECOGNISED_ONLY << PASSED_SHIFT);
      }
      if ((higher.scores[column - 1] ?? 0) + SPELLING > best) {
        best = (higher.scores[column - 1] ?? 0) + SPELLING;
        from = (higher.states[column - 1] ?? 0) | (WRITTEN_ONLY << PASSED_SHIFT);
      }
      pairs[column] = best + rate(written, recognised, row, column);
      step |= from;
      const longer = recognisedOnly[column - 1] ?? 0;
      const isPair = (pairs[column - 1] ?? 0) >= (writtenOnly[column - 1] ?? 0);
      const left = (isPair ? (pairs[column - 1] ?? 0) : (writtenOnly[column - 1] ?? 0)) + leaveRecognisedOut;
      recognisedOnly[column] = Math.max(longer, left) + LEAVE_OUT_LETTER;
      if (longer >= left) step |= RECOGNISED_ONLY << 4;
      else step |= (isPair ? PAIR : WRITTEN_ONLY) << 4;
      steps[row * width + column] = step;
    }
  }
  const ends = [pairs[width - 1] ?? 0, writtenOnly[width - 1] ?? 0, recognisedOnly[width - 1] ?? 0];
  return ends.indexOf(Math.max(...ends));
}

/** The best score and state of each cell of a row. */
function setBest(
  best: { scores: Float64Array; states: Uint8Array },
  row: Record<"pairs" | "writtenOnly" | "recognisedOnly", Float64Array>,
): void {
  const { pairs, writtenOnly, recognisedOnly } = row;
  for (let column = 0; column < pairs.length; column++) {
    let state = (writtenOnly[column] ?? 0) > (pairs[column] ?? 0) ? WRITTEN_ONLY : PAIR;
    let score = Math.max(pairs[column] ?? 0, writtenOnly[column] ?? 0);
    if ((recognisedOnly[column] ?? 0) > score) {
      state = RECOGNISED_ONLY;
      score = recognisedOnly[column] ?? 0;
    }
    best.scores[column] = score;
    best.states[column] = state;
  }
}

/** The score for leaving out recognised letters after a written one. */
function toLeaveOut({ letters, starts }: LetterRow, row: number): number {
  if (row === letters.length || starts[row] === LINE_STARTS) return LEAVE_OUT_AT_LINE;
  return starts[row] === WORD_STARTS ? LEAVE_OUT : LEAVE_OUT_IN_WORD;
}

function rate(written: LetterRow, recognised: RecognisedRow, row: number, column: number): number {
  const letter = recognised.letters[column - 1] ?? 0;
  if (letter === UNKNOWN_LETTER) return UNKNOWN;
  const isDoubtful = recognised.isDoubtful[column - 1] === 1;
  if (letter !== written.letters[row - 1]) return isDoubtful ? DOUBTFUL_OTHER : OTHER;
  const isStart = (written.starts[row - 1] ?? 0) > 0 && (recognised.starts[column - 1] ?? 0) > 0;
  return (isDoubtful ? DOUBTFUL_EQUAL : EQUAL) + (isStart ? WORD_START : 0);
}

function trace(
  steps: Uint8Array,
  end: number,
  { rows, columns }: { rows: number; columns: number },
): Int32Array {
  const partners = new Int32Array(rows).fill(-1);
  let [row, column, state] = [rows, columns, end];
  while (row > 0 || column > 0) {
    const step = steps[row * (columns + 1) + column] ?? 0;
    const passed = state === PAIR ? step >> PASSED_SHIFT : PAIR;
    if (state !== RECOGNISED_ONLY) row--;
    if (state !== WRITTEN_ONLY) column--;
    if (state === PAIR) partners[row] = column;
    if (passed === WRITTEN_ONLY) row--;
    if (passed === RECOGNISED_ONLY) column--;
    state = (step >> (2 * state)) & 3;
  }
  return partners;
}
