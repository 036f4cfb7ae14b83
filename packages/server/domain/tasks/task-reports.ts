import type { PreviewRecord, PreviewStore } from "../previews/preview-record.ts";
import type { TargetAdvance, TargetEnd, TaskRecord } from "./task-record.ts";
import type { RunState, TaskRun } from "./task-run.ts";

/** What a worker asks and tells of a Task. Nothing counts that it tells of a run that is no longer its own; where it matters to the worker, it fails with `RunLost`. */
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
   * The run ends short of the Task's end and counts as no attempt; the Task waits, for so long at least. Whoever takes it next may
   * go on from the checkpoint.
   */
  giveBack(
    run: TaskRun,
    options?: { delaySeconds?: number; checkpointKey?: string | undefined },
  ): Promise<void>;
  /** The run failed. The Task waits for its next attempt, unless this was the last: then it is still the run's, to be abandoned. */
  failRun(run: TaskRun, errorName: string): Promise<{ isLast: boolean }>;
}
