import type { Role } from "./process-tree.ts";

export type Kill = { atMs: number; role: Role; pid: number };

/** A request without an answer: refused, broken or timed out. */
export type Unanswered = {
  request: string;
  address: string;
  startedAtMs: number;
  endedAtMs: number;
  reason: string;
};

/** What all participants of a storm record for the audit. Times are `performance.now()`. */
export type StormLog = {
  kills: Kill[];
  unanswered: Unanswered[];
  wrongAnswers: string[];
  /** Number of answers by status. */
  answers: Map<number, number>;
  endedUnasked: string[];
  say(line: string): void;
};

export const makeStormLog = (say: (line: string) => void): StormLog => ({
  kills: [],
  unanswered: [],
  wrongAnswers: [],
  answers: new Map(),
  endedUnasked: [],
  say,
});
