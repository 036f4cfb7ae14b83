import { createWriteStream } from "node:fs";
import { rm, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import type { TargetErrorName } from "@stemwright/contract";
import { type Bucket, BucketError, type BucketErrorKind } from "../domain/storage/bucket.ts";
import { findBucketUrl } from "../domain/storage/bucket-url.ts";
import type { StoragePorts } from "../domain/storage/storage-ports.ts";
import type { TaskRecord } from "../domain/tasks/task-record.ts";
import { limitBytes } from "../limit-bytes.ts";
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
  await rm(path, { force: true });
  let version: string | undefined;
  for (let resumes = 0; ; resumes += 1) {
    const startByte = await getSize(path);
    const part = await bucket.read(key, { signal, version, ...(startByte > 0 ? { startByte } : {}) });
    version = part.version;
    if (part.sizeBytes > maxBytes)
      throw new TargetFailure("INPUT_TOO_LARGE", `The input has more than ${maxBytes} bytes`);
    const tooMuch = () => new BucketError("failed", `It has more than the ${part.sizeBytes} bytes announced`);
    const counted = limitBytes(part.sizeBytes - startByte, tooMuch, (bytes) =>
      onProgress(Math.min(1, (startByte + bytes) / part.sizeBytes)),
    );
    // By position, not appended: a write of the broken read that is still on its way changes nothing.
    const file = createWriteStream(path, startByte > 0 ? { flags: "r+", start: startByte } : {});
    const failure = await pipeline(part.content, counted, file, { signal }).then(
      () => undefined,
      (error: Error) => error,
    );
    if (failure && (signal.aborted || failure instanceof BucketError)) throw failure;
    if (["ENOSPC", "EDQUOT"].includes((failure as NodeJS.ErrnoException | undefined)?.code ?? ""))
      throw new TargetFailure("DISK_FULL");
    const sizeBytes = await getSize(path);
    if (!failure && sizeBytes === part.sizeBytes) return;
    if (sizeBytes === startByte || resumes === RESUMES_MAX) {
      const reason = failure?.message ?? "the connection ended";
      throw new BucketError("failed", `${reason}, after ${sizeBytes} of ${part.sizeBytes} bytes`, failure);
    }
  }
}

const getSize = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );
