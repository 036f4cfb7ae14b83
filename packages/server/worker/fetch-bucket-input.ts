import { open } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import type { TargetErrorName } from "@stemwright/contract";
import { type Bucket, BucketError, type BucketErrorKind } from "../domain/storage/bucket.ts";
import { findBucketUrl } from "../domain/storage/bucket-url.ts";
import type { StoragePorts } from "../domain/storage/storage-ports.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import { isDiskFull } from "../is-disk-full.ts";
import { TargetFailure } from "./target-failure.ts";

/** How often a read that broke is taken up again where it ended, as long as each time brings something. */
const RESUMES_MAX = 10;

export const NAME_OF_KIND: Record<BucketErrorKind, TargetErrorName> = {
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
  const file = await open(path, "w", 0o600);
  try {
    let receivedBytes = 0;
    let version: string | undefined;
    for (let resumes = 0; ; resumes += 1) {
      const startByte = receivedBytes;
      const part = await bucket.read(key, { signal, version, ...(startByte > 0 ? { startByte } : {}) });
      const { sizeBytes } = part;
      version = part.version;
      if (sizeBytes > maxBytes)
        throw new TargetFailure("INPUT_TOO_LARGE", `The input has more than ${maxBytes} bytes`);
      const failure = await receive(addAbortSignal(signal, part.content), async (chunk) => {
        if (receivedBytes + chunk.length > sizeBytes)
          throw new BucketError("failed", `it has more than the ${sizeBytes} bytes announced`);
        await file.appendFile(chunk);
        receivedBytes += chunk.length;
        onProgress(receivedBytes / sizeBytes);
      });
      if (receivedBytes === sizeBytes) return;
      if (signal.aborted || failure instanceof BucketError || isDiskFull(failure)) throw failure;
      if (receivedBytes === startByte || resumes === RESUMES_MAX) {
        const reason = failure?.message ?? "the connection ended";
        throw new BucketError("failed", `${reason}, after ${receivedBytes} of ${sizeBytes} bytes`, failure);
      }
    }
  } finally {
    await file.close();
  }
}

/** Chunk by chunk, each taken before the next: unlike a pipeline, what came before a failure is kept. */
async function receive(
  content: Readable,
  take: (chunk: Buffer) => Promise<void>,
): Promise<Error | undefined> {
  try {
    for await (const chunk of content) await take(chunk as Buffer);
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
