import { ApiError, type LegacyJobRequest, type TaskRequest } from "@stemwright/contract";
import type { Caller } from "../domain/caller.ts";
import { checkWebUrl } from "../domain/check-web-url.ts";
import { type CreateTaskPorts, createTask } from "../domain/tasks/create-task.ts";
import type { LegacyJobRecord } from "./legacy-job-record.ts";

/** Where a field of the Task's one target stands in a job. */
const FIELD_OF_TARGET: Record<string, string> = {
  "targets[0].model": "metadata.name",
  "targets[0].formats[0]": "metadata.format",
  "targets[0].variant": "metadata.variant",
  "targets[0].language": "metadata.language",
  "targets[0]": "otherSourceAssets",
};

export function toTaskRequest({ assetId, metadata, otherSourceAssets }: LegacyJobRequest): TaskRequest {
  const { name, format, ...wishes } = metadata;
  const transcriptAssetId = otherSourceAssets?.[0]?.id;
  const transcript = transcriptAssetId === undefined ? {} : { transcriptAssetId };
  return { assetId, targets: [{ model: name, formats: [format], ...wishes, ...transcript }] };
}

/** Says of a job's field what was said of a Task's. */
function toJobError(error: unknown): unknown {
  if (!(error instanceof ApiError) || !error.details) return error;
  const details = error.details.map(({ path, message }) => ({
    path: FIELD_OF_TARGET[path] ?? path,
    message,
  }));
  return new ApiError(error.code, error.message, details);
}

/** Takes a job in as a Task with one target: the same checks, the same engine, the same bill. */
export async function createLegacyJob(
  ports: CreateTaskPorts,
  caller: Caller,
  { request, requestId }: { request: LegacyJobRequest; requestId: string },
): Promise<LegacyJobRecord> {
  const { metadata, callbackUrl } = request;
  if (callbackUrl !== undefined) checkWebUrl(ports.urls, callbackUrl, "callbackUrl");
  const legacyJob = { requestId, metadata, ...(callbackUrl === undefined ? {} : { callbackUrl }) };
  const tasks: CreateTaskPorts["tasks"] = {
    ...ports.tasks,
    insertTask: (task, options) => ports.tasks.insertTask({ ...task, legacyJob }, options),
  };
  try {
    const task = await createTask({ ...ports, tasks }, caller, toTaskRequest(request));
    return { ...legacyJob, task, startedAt: null };
  } catch (error) {
    throw toJobError(error);
  }
}
