import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { makeId } from "../domain/ids.ts";
import type { Blobs } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";
import { BucketError } from "../domain/storage/bucket.ts";
import { findCustomerObject, isCustomerBlobKey } from "../domain/storage/customer-object.ts";
import type { StoragePorts } from "../domain/storage/storage-ports.ts";
import { limitBytes } from "../streams/limit-bytes.ts";

/** Who waits for a copy has no patience for more. */
const MAX_COPY_MS = 600_000;
const makeTooSlow = () =>
  new BucketError("failed", "copying it takes longer than ten minutes", { isTransient: true });

/** Our own store, which can also read outputs in customers' buckets. It never writes or deletes there. */
export function withCustomerObjects(
  own: Blobs,
  ports: Pick<StoragePorts, "integrations" | "buckets">,
  /** For local copies, swept after a kill. By now an object may be larger than the output that was written there. */
  { tempDir, maxBytes }: { tempDir: string; maxBytes: number },
): Blobs {
  async function getObject(blobKey: string) {
    const object = await findCustomerObject(ports, blobKey);
    if (!object) throw new BucketError("access-denied", "its storage integration was deleted");
    return object;
  }
  const tooLarge = () =>
    new Refusal("MEDIA_TOO_LARGE", `The asset is over the limit of ${maxBytes} bytes by now`);
  async function copyObject(blobKey: string, path: string): Promise<void> {
    const { bucket, key } = await getObject(blobKey);
    const signal = AbortSignal.timeout(MAX_COPY_MS);
    try {
      const { content } = await bucket.read(key, { signal });
      const limit = limitBytes(maxBytes, tooLarge);
      await pipeline([content, limit, createWriteStream(path, { mode: 0o600 })], { signal });
    } catch (error) {
      throw signal.aborted ? makeTooSlow() : error;
    }
  }
  return {
    ...own,
    async read(blobKey, range) {
      if (!isCustomerBlobKey(blobKey)) return await own.read(blobKey, range);
      const { bucket, key } = await getObject(blobKey);
      return (await bucket.read(key, range)).content;
    },
    async findSize(blobKey) {
      if (!isCustomerBlobKey(blobKey)) return await own.findSize(blobKey);
      try {
        const object = await findCustomerObject(ports, blobKey);
        return await object?.bucket.findSize(object.key);
      } catch (error) {
        // If the customer's storage denies us access, the link is a 404.
        if (error instanceof BucketError) return undefined;
        throw error;
      }
    },
    async copyTo(blobKey, path) {
      if (!isCustomerBlobKey(blobKey)) return await own.copyTo(blobKey, path);
      await copyObject(blobKey, path);
    },
    async withLocalFile(blobKey, use) {
      if (!isCustomerBlobKey(blobKey)) return await own.withLocalFile(blobKey, use);
      const path = join(tempDir, makeId());
      try {
        await copyObject(blobKey, path);
        return await use(path);
      } finally {
        await rm(path, { force: true });
      }
    },
  };
}
