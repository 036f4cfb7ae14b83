import type { Gap, TargetStatus, TimedWord } from "@stemwright/contract";
import type { WordsLine } from "./words-record.ts";

/** A worker's input for timing a gap: the text, the anchors and the words next to them. */
export type GapWork = Omit<Gap, "language"> & {
  language: string;
  before: Pick<TimedWord, "text" | "start" | "end">[];
  after: Pick<TimedWord, "text" | "start" | "end">[];
};

/** A separate job: short, free, and not listed. */
export type NewRealignment = {
  id: string;
  clientId: string;
  taskId: string;
  targetId: string;
  gap: GapWork;
};

export type RealignmentRecord = Pick<NewRealignment, "id"> & {
  status: TargetStatus;
  createdAt: Date;
  lines?: WordsLine[];
  error?: { code: number; message: string };
  /** No worker will take it: it waited too long, or every attempt died. */
  isAbandoned: boolean;
};

export interface RealignmentStore {
  /** Undefined if the client has the maximum number waiting. */
  insertRealignment(realignment: NewRealignment): Promise<RealignmentRecord | undefined>;
  findRealignment(targetId: string, id: string): Promise<RealignmentRecord | undefined>;
  /** Also stops running work. */
  deleteRealignment(targetId: string, id: string): Promise<boolean>;
}

export type RealignmentRun = NewRealignment & { token: string };
export type RealignmentEnd = { lines: WordsLine[] } | { error: { code: number; message: string } };

/** For workers. */
export interface RealignmentQueue {
  claim(token: string): Promise<RealignmentRun | undefined>;
  /** False if the job was cancelled or taken over by another worker. */
  hold(run: RealignmentRun): Promise<boolean>;
  end(run: RealignmentRun, end: RealignmentEnd): Promise<void>;
  /** For another attempt; one that was nobody's fault is not counted. */
  release(run: RealignmentRun, options: { isFault: boolean }): Promise<void>;
}
