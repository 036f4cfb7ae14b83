import { createWriteStream } from "node:fs";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { TargetErrorName } from "@stemwright/contract";
import { type Bucket, BucketError, type BucketErrorKind } from "../domain/storage/bucket.ts";
import { findBucketUrl } from "../domain/storage/bucket-url.ts";
import type { StoragePorts } from "../domain/storage/storage-ports.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import { TargetFailure } from "./target-failure.ts";

/** How often a read that broke is taken up again where it ended, as long as each time brings something. */
const RESUMES_MAX = 10;

const NAME_OF_KIND: Record<BucketErrorKind, TargetErrorName> = {
  "not-found": "INPUT_NOT_FOUND",
  "access-denied": "INPUT_ACCESS_DENIED",
  failed: "INPUT_FETCH_FAILED",
};

export type BucketInputPorts = Pick<StoragePorts, "integrations" | "buckets"> & { maxBytes: number };

type Download = { key: string; path: string; signal: AbortSignal; onProgress(fraction: number): void };

/** Brings an object of a customer's bucket to a local file. */
export async function fetchBucketInput(
  ports: BucketInputPorts,
  task: TaskRecord,
  { path, signal, onProgress }: Omit<Download, "key">,
): Promise<void> {
  const id = task.storageIntegrationId ?? "";
  const integration = await ports.integrations.findIntegration({ clientId: task.clientId }, id);
  const key = findBucketUrl(task.url ?? "")?.key;
  if (!integration || key === undefined)
    throw new TargetFailure("INPUT_ACCESS_DENIED", "The storage integration was deleted");
  try {
    const bucket = await ports.buckets.open(integration);
    await download(bucket, ports.maxBytes, { key, path, signal, onProgress });
  } catch (error) {
    if (signal.aborted || !(error instanceof BucketError)) throw error;
    throw new TargetFailure(
      NAME_OF_KIND[error.kind],
      `The input could not be read from ${integration.storageName}: ${error.message}`,
    );
  }
}

async function download(bucket: Bucket, maxBytes: number, options: Download): Promise<void> {
  const { key, path, signal, onProgress } = options;
  let receivedBytes = 0;
  let version: string | undefined;
  for (let attempt = 0; ; attempt += 1) {
    const startByte = receivedBytes;
    const part = await bucket.read(key, { signal, version, ...(startByte > 0 ? { startByte } : {}) });
    version = part.version;
    if (part.sizeBytes > maxBytes)
      throw new TargetFailure("INPUT_TOO_LARGE", `The input has more than ${maxBytes} bytes`);
    const counted = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        receivedBytes += chunk.length;
        onProgress(receivedBytes / part.sizeBytes);
        done(
          receivedBytes > part.sizeBytes ? new BucketError("failed", "More than was announced") : null,
          chunk,
        );
      },
    });
    try {
      await pipeline(part.content, counted, createWriteStream(path, { flags: startByte > 0 ? "a" : "w" }), {
        signal,
      });
      if (receivedBytes === part.sizeBytes) return;
    } catch (error) {
      if (signal.aborted || error instanceof BucketError) throw error;
      if (["ENOSPC", "EDQUOT"].includes((error as NodeJS.ErrnoException).code ?? ""))
        throw new TargetFailure("DISK_FULL");
      if (receivedBytes === startByte || attempt === RESUMES_MAX)
        throw new BucketError("failed", (error as Error).message, error);
    }
    if (receivedBytes === startByte || attempt === RESUMES_MAX)
      throw new BucketError("failed", `It ended after ${receivedBytes} of ${part.sizeBytes} bytes`);
  }
}
