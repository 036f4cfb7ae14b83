import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import { bindQueries } from "../bind-queries.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { findPreviews, setPreviews } from "../previews/preview-rows.ts";
import { endTarget } from "./target-ends.ts";
import { findTask, setProgress } from "./task-rows.ts";
import { failRun, giveBack, giveBackForRoom, setLength, startRun } from "./task-run-rows.ts";

export function makeTaskReports(db: DatabaseHandle): TaskReports {
  return {
    ...bindQueries(db, { findTask, findPreviews, setPreviews, setProgress, setLength }),
    ...bindQueries(db, { giveBack, giveBackForRoom, failRun }),
    startRun: (run) => inTransaction(db, (transaction) => startRun(transaction, run)),
    endTarget: (run, targetId, end) =>
      inTransaction(db, (transaction) =>
        endTarget(transaction, { taskId: run.taskId, token: run.token, targetId, end }),
      ),
  };
}
