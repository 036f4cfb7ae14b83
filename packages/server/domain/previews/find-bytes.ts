import { buffer } from "node:stream/consumers";
import type { Blobs } from "../ports.ts";
import { BucketError } from "../storage/bucket.ts";

const isMissing = (error: unknown) =>
  error instanceof BucketError
    ? error.kind === "not-found"
    : (error as NodeJS.ErrnoException).code === "ENOENT";

/** The content of a small stored file; undefined if there is none. */
export async function findBytes(blobs: Pick<Blobs, "read">, key: string): Promise<Buffer | undefined> {
  try {
    return await buffer(await blobs.read(key));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
