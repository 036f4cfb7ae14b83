import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { findPreviews, setPreviews } from "../previews/preview-rows.ts";
import { endTarget } from "./target-ends.ts";
import { findTask, setProgress } from "./task-rows.ts";
import { failRun, giveBack, setLength, startRun } from "./task-run-rows.ts";

export function makeTaskReports(db: DatabaseHandle): TaskReports {
  return {
    findTask: (taskId) => findTask(db, taskId),
    endTarget: (run, targetId, end) =>
      inTransaction(db, (transaction) =>
        endTarget(transaction, { taskId: run.taskId, token: run.token, targetId, end }),
      ),
    setProgress: (run, advances) => setProgress(db, run, advances),
    findPreviews: (taskId) => findPreviews(db, taskId),
    setPreviews: (run, previews) => setPreviews(db, run, previews),
    startRun: (run) => inTransaction(db, (transaction) => startRun(transaction, run)),
    setLength: (run, length) => setLength(db, run, length),
    giveBack: (run, options) => giveBack(db, run, options),
    failRun: (run, errorName) => failRun(db, run, errorName),
  };
}
