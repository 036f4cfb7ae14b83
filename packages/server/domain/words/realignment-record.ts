import type { Stretch, TargetStatus, TimedWord } from "@stemwright/contract";
import type { WordsLine } from "./words-record.ts";

/** What a worker needs to time a stretch: the text, the anchors and the words beside them. */
export type StretchWork = Omit<Stretch, "language"> & {
  language: string;
  before: Pick<TimedWord, "text" | "start" | "end">[];
  after: Pick<TimedWord, "text" | "start" | "end">[];
};

/** A separate job: short, free, and in no list. */
export type NewRealignment = {
  id: string;
  clientId: string;
  taskId: string;
  targetId: string;
  stretch: StretchWork;
};

export type RealignmentRecord = Pick<NewRealignment, "id"> & {
  status: TargetStatus;
  createdAt: Date;
  lines?: WordsLine[];
  error?: { code: number; message: string };
  /** Nobody will take it any more: it waited too long, or every attempt died. */
  isAbandoned: boolean;
};

export interface RealignmentStore {
  /** Undefined where the client has as many waiting as it may. */
  insertRealignment(realignment: NewRealignment): Promise<RealignmentRecord | undefined>;
  findRealignment(targetId: string, id: string): Promise<RealignmentRecord | undefined>;
  /** Work on it ends. */
  deleteRealignment(targetId: string, id: string): Promise<boolean>;
}

export type RealignmentRun = NewRealignment & { token: string };
export type RealignmentEnd = { lines: WordsLine[] } | { error: { code: number; message: string } };

/** A worker's side. */
export interface RealignmentQueue {
  claim(token: string): Promise<RealignmentRun | undefined>;
  /** False where the job was cancelled, or is another worker's by now. */
  hold(run: RealignmentRun): Promise<boolean>;
  end(run: RealignmentRun, end: RealignmentEnd): Promise<void>;
  /** For another attempt; one that was nobody's fault is not counted. */
  release(run: RealignmentRun, options: { isFault: boolean }): Promise<void>;
}
