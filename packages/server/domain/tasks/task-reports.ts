import type { PreviewRecord, PreviewStore } from "../previews/preview-record.ts";
import type { TargetAdvance, TargetEnd, TaskRecord } from "./task-record.ts";
import type { RunState, TaskRun } from "./task-run.ts";

/** A worker's queries and reports about a Task. Reports of a lost run are ignored; where that matters to the worker, they fail with `RunLost`. */
export interface TaskReports extends PreviewStore {
  findTask(taskId: string): Promise<TaskRecord | undefined>;
  startRun(run: TaskRun): Promise<void>;
  /** Also called without advances; returns the state of the run. */
  setProgress(run: TaskRun, advances: readonly TargetAdvance[]): Promise<RunState>;
  /** Records how much of the previews is stored. */
  setPreviews(run: TaskRun, previews: PreviewRecord): Promise<void>;
  /** False if the target had already ended. */
  endTarget(run: TaskRun, targetId: string, end: TargetEnd): Promise<boolean>;
  /** Records the length of the input; false if no further long Task may run now. */
  setLength(run: TaskRun, length: { audioSeconds: number; isLong: boolean }): Promise<boolean>;
  /**
   * Ends the run before the Task is done, without counting an attempt; the Task waits at least this long. The next worker may resume
   * from the checkpoint.
   */
  giveBack(
    run: TaskRun,
    options?: { delaySeconds?: number; checkpointKey?: string | undefined },
  ): Promise<void>;
  /** The same because a disk is full, with a backoff of up to a minute. `neededBytes` is what the Task needs as far as is known. */
  giveBackForRoom(run: TaskRun, neededBytes: number): Promise<void>;
  /** The run failed. The Task waits for its next attempt, unless this was the last: then it stays the run's, to be abandoned. */
  failRun(run: TaskRun, errorName: string): Promise<{ isLast: boolean }>;
}
