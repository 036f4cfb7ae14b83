import { text } from "node:stream/consumers";
import { ApiError, type TargetRequest } from "@stemwright/contract";
import type { FastifyBaseLogger } from "fastify";
import type { Caller } from "../domain/accounts/caller.ts";
import type { AssetRecord } from "../domain/assets/asset-record.ts";
import { deleteAsset } from "../domain/assets/delete-asset.ts";
import { type CheckPorts, insertPreparedTask, prepareTask } from "../domain/tasks/create-task.ts";
import { deleteTask } from "../domain/tasks/delete-task.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import type { Api, ApiPorts } from "../http/api.ts";
import { toTargetError } from "./to-target-error.ts";
import { waitForTask } from "./wait-for-end.ts";

/** One target over an upload, for a request that waits for it. */
export type WaitingWork = {
  asset: AssetRecord;
  target: TargetRequest;
  /** Says why nobody waits any longer. */
  signal: AbortSignal;
  log: FastifyBaseLogger;
  /** Called once the Task is created; later failures happen while it runs. */
  onAccepted?: (() => void) | undefined;
};

export type WaitingResult = { content: string; durationSeconds: number };

/**
 * Makes a Task of an upload, waits for it and gives the content of its one output. Task and asset are deleted in any case, which
 * ends the work where it is not done: of a request that has ended nobody would fetch the result.
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
    const done = await waitForTask(ports.feed, taskId, { limits: config.waits, signal });
    return await readResult(ports, done);
  } finally {
    const removals = [
      ...(taskId === undefined ? [] : [deleteTask(ports, clientId, taskId)]),
      deleteAsset(ports, clientId, asset.id),
    ];
    // The request's own outcome is the one to tell.
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
