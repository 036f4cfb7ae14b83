import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Blobs } from "../domain/ports.ts";
import { BucketError } from "../domain/storage/bucket.ts";
import { findCustomerObject, isCustomerBlobKey } from "../domain/storage/customer-object.ts";
import type { StoragePorts } from "../domain/storage/storage-ports.ts";

/** Our own store, which can also read outputs in customers' buckets. It never writes or deletes there. */
export function withCustomerObjects(
  own: Blobs,
  ports: Pick<StoragePorts, "integrations" | "buckets">,
): Blobs {
  async function getObject(blobKey: string) {
    const object = await findCustomerObject(ports, blobKey);
    if (!object) throw new Error("the storage integration of an output is gone");
    return object;
  }
  const read: Blobs["read"] = async (blobKey, range) => {
    if (!isCustomerBlobKey(blobKey)) return await own.read(blobKey, range);
    const { bucket, key } = await getObject(blobKey);
    return (await bucket.read(key, range)).content;
  };
  return {
    ...own,
    read,
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
      await pipeline(await read(blobKey), createWriteStream(path, { mode: 0o600 }));
    },
  };
}
