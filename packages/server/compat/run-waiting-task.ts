import { text } from "node:stream/consumers";
import {
  ApiError,
  type ApiErrorCode,
  TARGET_ERRORS,
  type TargetErrorName,
  type TargetRequest,
} from "@stemwright/contract";
import type { FastifyBaseLogger } from "fastify";
import type { Caller } from "../domain/accounts/caller.ts";
import type { AssetRecord } from "../domain/assets/asset-record.ts";
import { deleteAsset } from "../domain/assets/delete-asset.ts";
import { type CheckPorts, insertPreparedTask, prepareTask } from "../domain/tasks/create-task.ts";
import { deleteTask } from "../domain/tasks/delete-task.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import type { Api, ApiPorts } from "../http/api.ts";
import { waitForEnd } from "./wait-for-end.ts";

/** Maps the error of a request's only target to an error of the request. */
const CODES: Partial<Record<TargetErrorName, ApiErrorCode>> = {
  INPUT_UNREADABLE: "MEDIA_UNREADABLE",
  INPUT_NO_AUDIO: "MEDIA_NO_AUDIO",
  INPUT_TOO_LONG: "MEDIA_TOO_LONG",
  INPUT_TOO_LARGE: "UPLOAD_TOO_LARGE",
  INPUT_OVER_CREDITS: "CREDITS_INSUFFICIENT",
  INPUT_DECODED_TOO_LARGE: "MEDIA_TOO_LONG",
  INPUT_OVER_QUOTA: "STORAGE_QUOTA_EXCEEDED",
  OUTPUT_OVER_QUOTA: "STORAGE_QUOTA_EXCEEDED",
  LANGUAGE_UNSUPPORTED: "LANGUAGE_UNSUPPORTED",
  DISK_FULL: "MEDIA_TOO_LARGE",
  CANCELLED: "TASK_CANCELLED",
  NOT_SET_UP: "NOT_SET_UP",
};

/** One target over an upload, for a request that waits for it. */
export type WaitingWork = {
  asset: AssetRecord;
  target: TargetRequest;
  /** Aborts with the reason why the request no longer waits. */
  signal: AbortSignal;
  log: FastifyBaseLogger;
  /** Called once the Task is created; later failures happen while it runs. */
  onAccepted?: (() => void) | undefined;
};

export type WaitingResult = { content: string; durationSeconds: number };

/**
 * Creates a Task for an upload, waits for it and returns the content of its only output. Task and asset are always deleted, which stops unfinished work:
 * once the request has ended, nobody would fetch the result.
 */
export async function runWaitingTask(
  {
    ports,
    config,
  }: Pick<Api<keyof CheckPorts | "blobs" | "feed" | "stemCache" | "tasks" | "unclaimed">, "ports" | "config">,
  caller: Caller,
  { asset, target, signal, log, onAccepted }: WaitingWork,
): Promise<WaitingResult> {
  const { clientId } = caller;
  let taskId: string | undefined;
  try {
    await ports.assets.insertAsset(asset);
    const prepared = await prepareTask(ports, caller, { assetId: asset.id, targets: [target] });
    signal.throwIfAborted();
    const task = { ...prepared.task, isTemporary: true };
    taskId = task.id;
    await insertPreparedTask(ports.tasks, { ...prepared, task });
    onAccepted?.();
    const done = await waitForEnd(ports.feed, taskId, { limits: config.waits, signal });
    return await readResult(ports, done);
  } finally {
    const removals = [
      ...(taskId === undefined ? [] : [deleteTask(ports, clientId, taskId)]),
      deleteAsset(ports, clientId, asset.id),
    ];
    // The request's own result takes precedence.
    for (const { reason } of (await Promise.allSettled(removals)).filter(isRejected))
      log.warn({ err: reason }, "failed to remove a temporary Task, left to the sweep");
  }
}

const isRejected = (result: PromiseSettledResult<unknown>) => result.status === "rejected";

async function readResult(
  ports: Pick<ApiPorts, "blobs">,
  { targets: [target] }: TaskRecord,
): Promise<WaitingResult> {
  if (target?.error) throw toTargetError(target.error);
  const [output] = target?.output ?? [];
  if (!output) throw new ApiError("INTERNAL", "The Task has no output");
  return {
    content: await text(await ports.blobs.read(output.blobKey)),
    durationSeconds: target?.durationSeconds ?? 0,
  };
}

/** Codes not in the table are internal errors. */
function toTargetError({ code, message }: { code: number; message: string }): ApiError {
  const names = Object.keys(TARGET_ERRORS) as TargetErrorName[];
  const name = names.find((candidate) => TARGET_ERRORS[candidate].code === code);
  return new ApiError((name && CODES[name]) ?? "INTERNAL", message);
}
