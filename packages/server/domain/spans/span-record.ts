import { toOutputFolder } from "../tasks/output-names.ts";
import type { TaskRun } from "../tasks/task-run.ts";

/** A span of a Task: of which of its parts, and the how manieth. */
export type SpanId = { part: string; index: number };

/** Passes that are cut into spans together. */
export type OfferedPart = {
  key: string;
  spanCount: number;
  finishedSpans: number;
  /** What there is to do, as the engine wrote it. */
  work: string;
};

/** One worker's attempt at a span of somebody else's Task, known by its token. */
export type SpanRun = SpanId & { taskId: string; token: string };

/** A span with all that is needed to make it. */
export type SpanWork = SpanRun & { work: string; inputKey: string };

export type StoredSpanFile = { pass: string; stem: string; sizeBytes: number };
export type StoredSpan = { key: string; files: StoredSpanFile[] };

/** What the worker of a Task finds out about a span of it. */
export type SpanState = SpanId & {
  /** How much another worker has of it, from 0 to 1. */
  share: number;
  stored?: StoredSpan;
};

/** All that is stored of a Task's spans; it lies among the outputs, so that it goes with them at the latest. */
export const toSpansFolder = (taskId: string) => `${toOutputFolder(taskId)}/spans`;

export const toSpanKey = ({ taskId, token }: SpanRun) => `${toSpansFolder(taskId)}/${token}`;
export const toSpanFileKey = (key: string, { pass, stem }: Pick<StoredSpanFile, "pass" | "stem">) =>
  `${key}/${pass}/${stem}.f32`;
export const toSharedInputKey = (taskId: string) => `${toSpansFolder(taskId)}/input`;

/** The side of the Task's own worker, which shares its spans out and joins what comes back. */
export interface SpanOffers {
  /** Whether another worker lives whose spans would fit. */
  hasHelpers(workerId: string): Promise<boolean>;
  /** Parts that were offered before as they are keep what was made of them. Spans that this worker has begun are not for others. */
  offer(
    run: TaskRun,
    offer: { parts: readonly OfferedPart[]; begun: readonly SpanId[]; inputKey: string },
  ): Promise<void>;
  list(taskId: string): Promise<SpanState[]>;
  /** Takes a span for the Task's own worker; false where another is at it, or has made it. */
  takeOwn(run: TaskRun, span: SpanId): Promise<boolean>;
  /** What is stored of it is unusable: it must be made again, here. */
  reclaim(run: TaskRun, span: SpanId): Promise<void>;
  hasSpans(taskId: string): Promise<boolean>;
  /** Forgets the spans of a Task that has ended, but for those somebody is still at. */
  forget(taskId: string): Promise<void>;
}

/** The side of workers with nothing else to do. */
export interface SpanQueue {
  claim(claim: {
    token: string;
    workerId: string;
    exceptTaskIds: readonly string[];
  }): Promise<SpanWork | undefined>;
  /** Says that the worker is still at it; false where nobody needs it any more, or another has it. */
  hold(run: SpanRun, share: number): Promise<boolean>;
  /** False where nobody needs it any more. */
  end(run: SpanRun, stored: StoredSpan): Promise<boolean>;
  /** Lets another have it, or forgets it with its Task; a fault is counted. */
  release(run: SpanRun, options: { isFault: boolean }): Promise<void>;
}
