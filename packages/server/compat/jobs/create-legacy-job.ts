import type { LegacyJobRequest, TaskRequest } from "@stemwright/contract";
import type { Caller } from "../../domain/accounts/caller.ts";
import { checkWebUrl } from "../../domain/check-web-url.ts";
import type { TaskStore } from "../../domain/ports.ts";
import { Refusal } from "../../domain/refusal.ts";
import {
  type CheckPorts,
  insertPreparedTask,
  type PreparedTask,
  prepareTask,
} from "../../domain/tasks/create-task.ts";
import type { LegacyJobRecord } from "../../domain/tasks/legacy-job-record.ts";
import type { LegacyJobPart } from "../../domain/tasks/task-record.ts";

/** The job's name for each field of the Task's target. */
const FIELD_OF_TARGET: Record<string, string> = {
  "targets[0].model": "metadata.name",
  "targets[0].formats[0]": "metadata.format",
  "targets[0].variant": "metadata.variant",
  "targets[0].language": "metadata.language",
  "targets[0].transcriptAssetId": "otherSourceAssets[0].id",
  "targets[0]": "otherSourceAssets",
};

export function toTaskRequest({ assetId, metadata, otherSourceAssets }: LegacyJobRequest): TaskRequest {
  const { name, format, ...options } = metadata;
  const transcriptAssetId = otherSourceAssets?.[0]?.id;
  const transcript = transcriptAssetId === undefined ? {} : { transcriptAssetId };
  return { assetId, targets: [{ model: name, formats: [format], ...options, ...transcript }] };
}

/** Renames a Task's field to the job's in an error. */
function toJobError(error: unknown): unknown {
  if (!(error instanceof Refusal) || !error.details) return error;
  const details = error.details.map(({ path, message }) => ({
    path: FIELD_OF_TARGET[path] ?? path,
    message,
  }));
  return new Refusal(error.code, error.message, details);
}

type PreparedJob = PreparedTask & { task: { legacyJob: LegacyJobPart } };

/** A job becomes a Task with one target: same checks, same engine, same cost. */
export async function prepareLegacyJob(
  ports: CheckPorts,
  caller: Caller,
  { request, requestId }: { request: LegacyJobRequest; requestId: string },
): Promise<PreparedJob> {
  const { metadata, callbackUrl } = request;
  if (callbackUrl !== undefined) checkWebUrl(ports.urls, callbackUrl, "callbackUrl");
  const legacyJob = { requestId, metadata, ...(callbackUrl === undefined ? {} : { callbackUrl }) };
  try {
    const { task, reservations } = await prepareTask(ports, caller, toTaskRequest(request));
    return { task: { ...task, legacyJob }, reservations };
  } catch (error) {
    throw toJobError(error);
  }
}

export async function insertLegacyJob(tasks: TaskStore, prepared: PreparedJob): Promise<LegacyJobRecord> {
  const task = await insertPreparedTask(tasks, prepared);
  return { ...prepared.task.legacyJob, task, startedAt: null };
}
