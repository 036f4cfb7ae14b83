import type { TargetEnd, TaskProgress, TaskRecord } from "./task-record.ts";

/** What a worker asks and tells of a Task. */
export interface TaskReports {
  findTask(taskId: string): Promise<TaskRecord | undefined>;
  endTarget(taskId: string, targetId: string, end: TargetEnd): Promise<boolean>;
  setProgress(taskId: string, progress: TaskProgress): Promise<void>;
  startRun(taskId: string): Promise<void>;
  /** The work stops short of the end; the Task waits for its next run. */
  endRun(taskId: string): Promise<void>;
}
