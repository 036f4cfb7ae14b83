import type { WorkerRegister } from "../domain/worker-report.ts";
import type { DatabaseHandle } from "./database.ts";
import { deleteWorker, upsertWorker } from "./workers.ts";

export function makeWorkerRegister(db: DatabaseHandle): WorkerRegister {
  return {
    report: (report) => upsertWorker(db, report),
    remove: (workerId) => deleteWorker(db, workerId),
  };
}
