import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, rm, stat } from "node:fs/promises";
import { extname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { toMimeType } from "@stemwright/contract";
import { batchDeletions } from "../buckets/batch-deletions.ts";
import type { S3Bucket, S3BucketOptions } from "../buckets/s3-bucket.ts";
import { forEachOf } from "../domain/for-each-of.ts";
import { makeId } from "../domain/ids.ts";
import type { Blobs } from "../domain/ports.ts";
import { Refusal } from "../domain/refusal.ts";
import { BucketError } from "../domain/storage/bucket.ts";
import { limitBytes } from "../streams/limit-bytes.ts";

/** Objects of one folder that may be queued for deletion at once. */
const DELETIONS_AT_ONCE = 4000;
/** Parallel requests if the store does not support DeleteObjects. */
const SINGLE_DELETIONS_AT_ONCE = 32;

const toType = (key: string) => toMimeType(extname(key).slice(1));

/**
 * Objects in one S3 bucket, so that several machines share assets and outputs. An upload becomes visible when it is complete; the bucket's lifecycle rule
 * removes incomplete ones of killed processes.
 */
export async function openS3Blobs(options: {
  place: S3BucketOptions;
  /** Prepended to every key, including its slash; may be empty. */
  prefix: string;
  /** For local copies of files, for programs that need a path. */
  tempDir: string;
}): Promise<Blobs> {
  const { prefix, tempDir } = options;
  const { openS3Bucket } = await import("../buckets/s3-bucket.ts");
  const bucket = openS3Bucket(options.place);
  await mkdir(tempDir, { recursive: true, mode: 0o700 });
  const toKey = (key: string) => prefix + key;
  const deleteObject = batchDeletions(
    async (keys) => (await bucket.deleteMany(keys)) ?? (await deleteOneByOne(bucket, keys)),
  );

  async function copyTo(key: string, path: string): Promise<void> {
    const { content } = await bucket.read(toKey(key));
    await pipeline(content, createWriteStream(path, { mode: 0o600 }));
  }

  return {
    async write(key, content, { maxBytes = Number.POSITIVE_INFINITY } = {}) {
      let sizeBytes = 0;
      const tooLarge = () =>
        new Refusal("UPLOAD_TOO_LARGE", `The file is over the limit of ${maxBytes} bytes`);
      const limited = limitBytes(maxBytes, tooLarge, (bytes) => {
        sizeBytes = bytes;
      });
      // An error of the incoming stream also breaks the limited one, and the write rejects with it.
      pipeline(content, limited).catch(() => {});
      await bucket.write(toKey(key), limited, { type: toType(key) });
      return { sizeBytes };
    },
    async adopt(key, path) {
      const { size } = await stat(path);
      await bucket.write(toKey(key), createReadStream(path), { type: toType(key) });
      await rm(path, { force: true });
      return { sizeBytes: size };
    },
    findSize: (key) => bucket.findSize(toKey(key)),
    async read(key, range) {
      return (await bucket.read(toKey(key), range)).content;
    },
    async findBytes(key) {
      try {
        return await buffer((await bucket.read(toKey(key))).content);
      } catch (error) {
        if (error instanceof BucketError && error.kind === "not-found") return undefined;
        throw error;
      }
    },
    copyTo,
    async withLocalFile(key, use) {
      const path = join(tempDir, makeId());
      try {
        await copyTo(key, path);
        return await use(path);
      } finally {
        await rm(path, { force: true });
      }
    },
    async check() {
      // Only this request distinguishes a missing bucket from a missing object.
      for await (const _ of bucket.list(toKey("check/"))) return;
    },
    async delete(keyPrefix) {
      await Promise.all([
        deleteObject(toKey(keyPrefix)),
        forEachOf(bucket.list(`${toKey(keyPrefix)}/`), DELETIONS_AT_ONCE, deleteObject),
      ]);
    },
  };
}

async function deleteOneByOne(bucket: S3Bucket, keys: readonly string[]): Promise<Map<string, BucketError>> {
  const failures = new Map<string, BucketError>();
  await forEachOf(keys, SINGLE_DELETIONS_AT_ONCE, (key) =>
    bucket.delete(key).catch((error: BucketError) => void failures.set(key, error)),
  );
  return failures;
}
