import type { TargetInput, Task, TaskInput } from "@stemwright/contract";
import type { RequestOptions } from "../options.ts";
import type { Assets } from "../resources/assets.ts";
import type { UploadProgress } from "../uploads/multipart.ts";
import type { UploadInput } from "../uploads/upload-source.ts";
import type { WaitOptions } from "./wait-for-task.ts";

/** Limit for cancelling the Task after an abort. */
const CANCEL_TIMEOUT_MS = 10_000;

/**
 * Input of a Task: anything `assets.upload` takes, a URL (`https://`, `s3://`, `gs://`, `az://`), or an existing asset.
 */
export type RunInput = UploadInput | { assetId: string } | { url: string };

/** The other fields of a Task, plus the options of `wait`. */
export type RunOptions = Omit<TaskInput, "assetId" | "url" | "targets"> &
  WaitOptions & {
    /** File name of the upload, with extension, for inputs without one. */
    name?: string | undefined;
    onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
    /** Called when the Task has been created. */
    onCreated?: ((task: Task) => void) | undefined;
    /** Keep the upload and the running Task when the signal aborts. By default they are deleted and cancelled. */
    keepOnAbort?: boolean | undefined;
  };

/** The part of `Tasks` that a run calls. */
type TaskCalls = {
  create(task: TaskInput, options?: RequestOptions): Promise<Task>;
  wait(task: Task, options?: WaitOptions): Promise<Task>;
  cancel(id: string, options?: RequestOptions): Promise<Task>;
};

type Source = { assetId: string } | { url: string };

/** The Task field for inputs that need no upload; undefined for those that do. */
function findSource(input: RunInput): Source | undefined {
  if (typeof input === "string") return /^[a-z][a-z0-9+.-]+:\/\//i.test(input) ? { url: input } : undefined;
  if ("assetId" in input) return { assetId: input.assetId };
  return "url" in input ? { url: input.url } : undefined;
}

/** Uploads if needed, creates the Task and waits for it. */
export async function runTask(
  { tasks, assets }: { tasks: TaskCalls; assets: Assets },
  { input, targets }: { input: RunInput; targets: TargetInput[] },
  options: RunOptions,
): Promise<Task> {
  const { onProgress, onQueueUpdate, pollIntervalMs, name, onUploadProgress, onCreated, ...rest } = options;
  const { keepOnAbort, idempotencyKey, signal, maxRetries, timeoutMs, headers, clientId, ...fields } = rest;
  const shared: RequestOptions = { signal, maxRetries, headers, clientId };

  async function upload(): Promise<Source> {
    const { id } = await assets.upload(input as UploadInput, {
      ...shared,
      // A repeated run must get the same asset, or the Task's body would differ and conflict.
      idempotencyKey: idempotencyKey && `${idempotencyKey}-upload`,
      name,
      keepOnAbort,
      onProgress: onUploadProgress,
    });
    return { assetId: id };
  }

  const source = findSource(input) ?? (await upload());
  const task = await tasks.create(
    { ...source, targets, ...fields },
    { ...shared, timeoutMs, idempotencyKey },
  );
  try {
    onCreated?.(task);
    return await tasks.wait(task, { ...shared, timeoutMs, onProgress, onQueueUpdate, pollIntervalMs });
  } catch (error) {
    if (signal?.aborted && !keepOnAbort)
      await tasks
        .cancel(task.id, { ...shared, signal: undefined, timeoutMs: CANCEL_TIMEOUT_MS })
        .catch(() => {});
    throw error;
  }
}
