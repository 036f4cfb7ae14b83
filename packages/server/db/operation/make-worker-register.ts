import type { WorkerRegister } from "../../domain/operation/worker-report.ts";
import type { DatabaseHandle } from "../database.ts";
import { deleteWorker, upsertWorker } from "./worker-rows.ts";

export function makeWorkerRegister(db: DatabaseHandle): WorkerRegister {
  return {
    report: (report) => upsertWorker(db, report),
    remove: (workerId) => deleteWorker(db, workerId),
  };
}
