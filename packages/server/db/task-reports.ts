import type { TaskReports } from "../domain/tasks/task-reports.ts";
import type { DatabaseHandle } from "./database.ts";
import { inTransaction } from "./in-transaction.ts";
import { endTarget } from "./target-ends.ts";
import { endRun, startRun } from "./task-runs.ts";
import { findTask, setProgress } from "./tasks.ts";

export function makeTaskReports(db: DatabaseHandle): TaskReports {
  return {
    findTask: (taskId) => findTask(db, taskId),
    endTarget: (taskId, targetId, end) =>
      inTransaction(db, (transaction) => endTarget(transaction, { taskId, targetId, end })),
    setProgress: (taskId, progress) => setProgress(db, taskId, progress),
    startRun: (taskId) => inTransaction(db, (transaction) => startRun(transaction, taskId)),
    endRun: (taskId) => endRun(db, taskId),
  };
}
