import type { AssetRecord } from "../assets/asset-record.ts";
import type { LegacyJobPart, TaskRecord } from "./task-record.ts";

/** A legacy job: a Task with one target, and the extra fields of the Jobs interface. */
export type LegacyJobRecord = LegacyJobPart & {
  task: TaskRecord;
  startedAt: Date | null;
  sourceAsset?: AssetRecord;
};
