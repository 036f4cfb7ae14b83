import type { PreviewRecord, PreviewStore } from "../previews/preview-record.ts";
import type { TargetAdvance, TargetEnd, TaskRecord } from "./task-record.ts";
import type { RunState, TaskRun } from "./task-run.ts";

/** A worker's queries and reports about a Task. Reports about a lost run are ignored; where that matters to the worker, they fail with `RunLost`. */
export interface TaskReports extends PreviewStore {
  findTask(taskId: string): Promise<TaskRecord | undefined>;
  startRun(run: TaskRun): Promise<void>;
  /** Also without advances; gives how the run stands. */
  setProgress(run: TaskRun, advances: readonly TargetAdvance[]): Promise<RunState>;
  /** Notes how much of the previews is stored. */
  setPreviews(run: TaskRun, previews: PreviewRecord): Promise<void>;
  /** False when the target had ended before. */
  endTarget(run: TaskRun, targetId: string, end: TargetEnd): Promise<boolean>;
  /** Notes how long the input is; false when there is no room for another long Task just now. */
  setLength(run: TaskRun, length: { audioSeconds: number; isLong: boolean }): Promise<boolean>;
  /**
   * Ends the run before the Task is done, without counting an attempt; the Task waits at least this long. The next worker may resume
   * from the checkpoint.
   */
  giveBack(
    run: TaskRun,
    options?: { delaySeconds?: number; checkpointKey?: string | undefined },
  ): Promise<void>;
  /** The run failed. The Task waits for its next attempt, unless this was the last: then it is still the run's, to be abandoned. */
  failRun(run: TaskRun, errorName: string): Promise<{ isLast: boolean }>;
}
