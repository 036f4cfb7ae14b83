import type { Role } from "./process-tree.ts";

export type Kill = { atMs: number; role: Role; pid: number };

/** A request that got no answer: the connection was refused or broke, or nothing came in time. */
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
  /** How often each status was answered. */
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
