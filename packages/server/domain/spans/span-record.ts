import { toOutputFolder } from "../tasks/output-names.ts";
import type { TaskRun } from "../tasks/task-run.ts";

/** A span of a Task: its part and its index. */
export type SpanId = { part: string; index: number };

/** Passes that are split into the same spans. */
export type OfferedPart = {
  key: string;
  spanCount: number;
  finishedSpans: number;
  /** The work, serialised by the engine. */
  work: string;
};

/** One worker's attempt at a span of another's Task, identified by its token. */
export type SpanRun = SpanId & { taskId: string; token: string };

/** A span with everything needed to make it. */
export type SpanWork = SpanRun & { work: string; inputKey: string };

export type StoredSpanFile = { pass: string; stem: string; sizeBytes: number };
export type StoredSpan = { key: string; files: StoredSpanFile[] };

/** A span as seen by its Task's worker. */
export type SpanState = SpanId & {
  /** The share another worker has done, from 0 to 1. */
  share: number;
  stored?: StoredSpan;
};

/** Folder of a Task's stored spans: inside its outputs, so that they are deleted with them at the latest. */
export const toSpansFolder = (taskId: string) => `${toOutputFolder(taskId)}/spans`;

export const toSpanKey = ({ taskId, token }: SpanRun) => `${toSpansFolder(taskId)}/${token}`;
export const toSpanFileKey = (key: string, { pass, stem }: Pick<StoredSpanFile, "pass" | "stem">) =>
  `${key}/${pass}/${stem}.f32`;
export const toSharedInputKey = (taskId: string) => `${toSpansFolder(taskId)}/input`;

/** For the Task's own worker, which offers spans and joins the results. */
export interface SpanOffers {
  /** Whether there is a live worker whose spans would fit. */
  hasHelpers(workerId: string): Promise<boolean>;
  /** Parts offered before, unchanged, keep what was made of them. Spans this worker has started are not offered. */
  offer(
    run: TaskRun,
    offer: { parts: readonly OfferedPart[]; begun: readonly SpanId[]; inputKey: string },
  ): Promise<void>;
  list(taskId: string): Promise<SpanState[]>;
  /** Claims a span for the Task's own worker; false if another is making it or has made it. */
  takeOwn(run: TaskRun, span: SpanId): Promise<boolean>;
  /** The stored result is unusable: the span must be made again, here. */
  reclaim(run: TaskRun, span: SpanId): Promise<void>;
  hasSpans(taskId: string): Promise<boolean>;
  /** Deletes the spans of a finished Task, except those in progress. */
  forget(taskId: string): Promise<void>;
}

/** For idle workers. */
export interface SpanQueue {
  claim(claim: {
    token: string;
    workerId: string;
    exceptTaskIds: readonly string[];
  }): Promise<SpanWork | undefined>;
  /** Reports that the worker is still on it; false if the span is no longer needed or another has it. */
  hold(run: SpanRun, share: number): Promise<boolean>;
  /** False if the span is no longer needed. */
  end(run: SpanRun, stored: StoredSpan): Promise<boolean>;
  /** Releases it for another worker, or deletes it with its Task; a fault is counted. */
  release(run: SpanRun, options: { isFault: boolean }): Promise<void>;
}
