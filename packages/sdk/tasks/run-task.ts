import type { TargetInput, Task, TaskInput } from "@stemwright/contract";
import type { RequestOptions } from "../options.ts";
import type { Assets } from "../resources/assets.ts";
import type { Tasks } from "../resources/tasks.ts";
import type { UploadProgress } from "../uploads/multipart.ts";
import type { UploadInput } from "../uploads/upload-source.ts";
import type { WaitOptions } from "./wait-for-task.ts";

/** How long cancelling a Task that nobody waits for any more may take. */
const CANCEL_TIMEOUT_MS = 10_000;

/**
 * What a Task is to be made of: something to upload (as `assets.upload` takes it), an address (`https://`, `s3://`,
 * `gs://`, `az://`), or an asset that is there already.
 */
export type RunInput = UploadInput | { assetId: string } | { url: string };

/** Everything a Task takes besides its input and its targets, and everything a wait takes. */
export type RunOptions = Omit<TaskInput, "assetId" | "url" | "targets"> &
  WaitOptions & {
    /** The name of the upload, with extension, where the input has none. */
    name?: string | undefined;
    onUploadProgress?: ((progress: UploadProgress) => void) | undefined;
    /** Called once the Task is there, before it is done. */
    onCreated?: ((task: Task) => void) | undefined;
    /** Leaves the Task running when the signal aborts; else it is cancelled, and what is not done costs nothing. */
    keepOnAbort?: boolean | undefined;
  };

type Source = { assetId: string } | { url: string };

/** What can be named in a Task as it is; undefined for what has to be uploaded first. */
function findSource(input: RunInput): Source | undefined {
  if (typeof input === "string") return /^[a-z][a-z0-9+.-]+:\/\//i.test(input) ? { url: input } : undefined;
  if ("assetId" in input) return { assetId: input.assetId };
  return "url" in input ? { url: input.url } : undefined;
}

/** From an input to the finished Task. */
export async function runTask(
  { tasks, assets }: { tasks: Tasks; assets: Assets },
  { input, targets }: { input: RunInput; targets: TargetInput[] },
  options: RunOptions,
): Promise<Task> {
  const { onProgress, onQueueUpdate, pollIntervalMs, name, onUploadProgress, onCreated, ...rest } = options;
  const { keepOnAbort, idempotencyKey, signal, maxRetries, timeoutMs, headers, clientId, ...fields } = rest;
  const shared: RequestOptions = { signal, maxRetries, headers, clientId };

  async function upload(): Promise<Source> {
    const { id } = await assets.upload(input as UploadInput, {
      ...shared,
      // The same file under the same key is the same asset, so that the Task's body is the same too.
      idempotencyKey: idempotencyKey && `${idempotencyKey}-upload`,
      name,
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
