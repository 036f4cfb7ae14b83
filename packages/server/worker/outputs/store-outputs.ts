import { createReadStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { toMimeType } from "@stemwright/contract";
import type { Blobs } from "../../domain/ports.ts";
import { type Bucket, BucketError } from "../../domain/storage/bucket.ts";
import { toOutputKey } from "../../domain/storage/bucket-url.ts";
import { toCustomerBlobKey } from "../../domain/storage/customer-object.ts";
import type { StoragePorts } from "../../domain/storage/storage-ports.ts";
import { describeUse, type StorageQuota } from "../../domain/storage/storage-quota.ts";
import { toOutputFolder } from "../../domain/tasks/output-names.ts";
import type { OutputRecord, TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import { TargetFailure } from "../failures/target-failure.ts";

export type StoreOutputsPorts = Pick<StoragePorts, "integrations" | "buckets"> & {
  blobs: Blobs;
  quota: StorageQuota;
  reports: Pick<TaskReports, "findTask">;
};

export type FinishedFile = Pick<OutputRecord, "name" | "format" | "clippedSamples"> & {
  path: string;
  /** Not an output: stored next to the outputs, never in a customer's bucket. */
  isAside?: true;
};
export type StoredOutputs = { output: OutputRecord[]; remove(): Promise<void> };

type Finished = {
  task: TaskRecord;
  targetId: string;
  files: FinishedFile[];
  /** Aborts the run. */
  signal: AbortSignal;
  /** Also aborted if the run ends because the Task was cancelled or deleted. */
  over: AbortSignal;
};

/** Stores a target's files where the client wants them. `remove` deletes them again unless another run uses them. */
export async function storeOutputs(ports: StoreOutputsPorts, finished: Finished): Promise<StoredOutputs> {
  const { writeDestination } = finished.task;
  return writeDestination === undefined
    ? await keep(ports, finished)
    : await deliver(ports, finished, writeDestination);
}

/** Every run of a Task uses the same names, so another run may have completed the target with the files this one wrote. */
async function removeUnlessKept(
  ports: StoreOutputsPorts,
  { task, targetId, signal, over }: Finished,
  remove: () => Promise<void>,
): Promise<void> {
  // If the Task continues in another run, that run may already be writing the same files.
  if (signal.aborted && !over.aborted) return;
  const current = await ports.reports.findTask(task.id);
  const target = current?.targets.find(({ id }) => id === targetId);
  if (target?.status !== "completed") await remove();
}

/** Reserves quota for a target's files; they are counted when the target ends. */
async function holdOutputs(quota: StorageQuota, { task, targetId, files }: Finished): Promise<void> {
  if ((await quota.findQuota(task.clientId)) === undefined) return;
  const sizes = await Promise.all(files.map(async ({ path }) => (await stat(path)).size));
  const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
  const shortage = await quota.hold({ id: targetId, clientId: task.clientId }, sizeBytes);
  if (shortage)
    throw new TargetFailure(
      "OUTPUT_OVER_QUOTA",
      `There is no room for the outputs, ${sizeBytes} bytes: ${describeUse(shortage)}`,
    );
}

async function keep(ports: StoreOutputsPorts, finished: Finished): Promise<StoredOutputs> {
  const { task, targetId, files, signal } = finished;
  const folder = `${toOutputFolder(task.id)}/${targetId}`;
  const remove = () =>
    removeUnlessKept(ports, finished, async () => {
      await ports.blobs.delete(folder);
      await ports.quota.release(targetId);
    });
  const output: OutputRecord[] = [];
  try {
    await holdOutputs(ports.quota, finished);
    for (const { path, isAside, ...file } of files) {
      signal.throwIfAborted();
      const blobKey = `${folder}/${file.name}.${file.format}`;
      const { sizeBytes } = await ports.blobs.adopt(blobKey, path);
      if (!isAside) output.push({ ...file, blobKey, sizeBytes });
    }
  } catch (error) {
    await remove();
    throw error;
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
  finished: Finished,
  writeDestination: string,
): Promise<StoredOutputs> {
  const { task, files, signal } = finished;
  const output: OutputRecord[] = [];
  const written: string[] = [];
  let bucket: Bucket | undefined;
  const remove = () =>
    removeUnlessKept(ports, finished, async () => {
      for (const key of written) await bucket?.delete(key).catch(() => {});
    });
  try {
    bucket = await openDestination(ports, task);
    for (const { path, isAside: _, ...file } of files.filter(({ isAside }) => !isAside)) {
      const key = toOutputKey(writeDestination, { taskId: task.id, ...file });
      const type = toMimeType(file.format);
      // A write we gave up on may still complete in the bucket.
      written.push(key);
      await bucket.write(key, createReadStream(path), { type, signal });
      const { size } = await stat(path);
      output.push({
        ...file,
        blobKey: toCustomerBlobKey(task.storageIntegrationId ?? "", key),
        sizeBytes: size,
      });
      await rm(path, { force: true });
    }
    return { output, remove };
  } catch (error) {
    await remove();
    if (signal.aborted || !(error instanceof BucketError)) throw error;
    throw new TargetFailure(
      "DESTINATION_NOT_WRITABLE",
      `The outputs could not be written to ${writeDestination}: ${error.message}`,
    );
  }
}
