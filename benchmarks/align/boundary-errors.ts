import { findCommonRuns } from "../../packages/engine/text/match-words.ts";
import { normaliseWord } from "../../packages/engine/text/normalise-word.ts";

export type MarkedWord = { text: string; startSeconds: number; endSeconds: number };

/** As in a target's json output. */
export type WrittenWord = { text: string; start: number; end: number; confidence: number };

/** The annotated words that were also written, each with its counterpart. */
export function pairWords(
  marked: readonly MarkedWord[],
  written: readonly WrittenWord[],
): { marked: MarkedWord; written: WrittenWord }[] {
  const runs = findCommonRuns(
    marked.map(({ text }) => normaliseWord(text)),
    written.map(({ text }) => normaliseWord(text)),
  );
  return runs.flatMap(({ first, second, length }) =>
    Array.from({ length }, (_, n) => ({
      marked: marked[first + n] as MarkedWord,
      written: written[second + n] as WrittenWord,
    })),
  );
}

export type ErrorFigures = {
  count: number;
  mean: number;
  median: number;
  share(withinSeconds: number): number;
};

/** Of absolute errors in seconds. */
export function toFigures(errors: readonly number[]): ErrorFigures {
  const sorted = errors.map(Math.abs).sort((a, b) => a - b);
  return {
    count: sorted.length,
    mean: sorted.reduce((sum, error) => sum + error, 0) / sorted.length,
    median: sorted[sorted.length >> 1] ?? Number.NaN,
    share: (within) => sorted.filter((error) => error <= within).length / sorted.length,
  };
}
