import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { ApiError, toMimeType } from "@stemwright/contract";
import type { Blobs } from "../domain/ports.ts";
import { type Bucket, BucketError } from "../domain/storage/bucket.ts";
import { toOutputKey } from "../domain/storage/bucket-url.ts";
import { toCustomerBlobKey } from "../domain/storage/customer-object.ts";
import type { StoragePorts } from "../domain/storage/storage-ports.ts";
import type { OutputRecord, TaskRecord } from "../domain/tasks/task-record.ts";
import { TargetFailure } from "./target-failure.ts";

export type StoreOutputsPorts = Pick<StoragePorts, "integrations" | "buckets"> & { blobs: Blobs };

export type FinishedFile = { name: string; format: string; path: string };
export type StoredOutputs = { output: OutputRecord[]; remove(): Promise<void> };

type Finished = {
  task: TaskRecord;
  targetId: string;
  files: FinishedFile[];
  /** Ends the work. */
  signal: AbortSignal;
  /** Aborted as well where the work ends because the Task was cancelled or deleted. */
  over: AbortSignal;
};

/** Puts a target's files where the client wants them; `remove` takes them out again. */
export async function storeOutputs(ports: StoreOutputsPorts, finished: Finished): Promise<StoredOutputs> {
  const { writeDestination } = finished.task;
  return writeDestination === undefined
    ? await keep(ports.blobs, finished)
    : await deliver(ports, finished, writeDestination);
}

async function keep(blobs: Blobs, { task, targetId, files }: Finished): Promise<StoredOutputs> {
  const folder = `outputs/${task.id}/${targetId}`;
  const remove = () => blobs.delete(folder);
  const output: OutputRecord[] = [];
  try {
    for (const { name, format, path } of files) {
      const blobKey = `${folder}/${name}.${format}`;
      output.push({ name, format, blobKey, ...(await blobs.adopt(blobKey, path)) });
    }
  } catch (error) {
    await remove();
    throw error instanceof ApiError && error.code === "STORAGE_FULL" ? new TargetFailure("DISK_FULL") : error;
  }
  return { output, remove };
}

async function openDestination(ports: StoreOutputsPorts, task: TaskRecord): Promise<Bucket> {
  const id = task.storageIntegrationId ?? "";
  const integration = await ports.integrations.findIntegration({ clientId: task.clientId }, id);
  if (!integration) throw new BucketError("access-denied", "the storage integration was deleted");
  return await ports.buckets.open(integration);
}

async function deliver(
  ports: StoreOutputsPorts,
  { task, files, signal, over }: Finished,
  writeDestination: string,
): Promise<StoredOutputs> {
  const output: OutputRecord[] = [];
  const written: string[] = [];
  let bucket: Bucket | undefined;
  const remove = async () => {
    for (const key of written) await bucket?.delete(key).catch(() => {});
  };
  try {
    bucket = await openDestination(ports, task);
    for (const { name, format, path } of files) {
      const key = toOutputKey(writeDestination, { taskId: task.id, name, format });
      const type = toMimeType(format);
      // A write that was given up may still have been finished over there.
      written.push(key);
      await bucket.write(key, createReadStream(path), { type, signal });
      const { size } = await stat(path);
      output.push({
        name,
        format,
        blobKey: toCustomerBlobKey(task.storageIntegrationId ?? "", key),
        sizeBytes: size,
      });
      await rm(path, { force: true });
    }
    return { output, remove };
  } catch (error) {
    // What a run leaves that goes on elsewhere is for the next one, which may be writing it already.
    if (signal.aborted && !over.aborted) throw error;
    await remove();
    if (signal.aborted || !(error instanceof BucketError)) throw error;
    throw new TargetFailure(
      "DESTINATION_NOT_WRITABLE",
      `The outputs could not be written to ${writeDestination}: ${error.message}`,
    );
  }
}
