import { opendir } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import type { Config } from "../config/load-config.ts";
import { PARTIAL_DIR } from "./file-blobs.ts";
import { toOwnPlace } from "./open-own-blobs.ts";

/** The keys of all files in the installation's own store, in any order; without half-written ones. */
export async function* listOwnFiles(config: Pick<Config, "s3" | "aws" | "blobsDir">): AsyncIterable<string> {
  if (config.s3) {
    const { openS3Bucket } = await import("../buckets/s3-bucket.ts");
    const { prefix } = config.s3;
    for await (const key of openS3Bucket(toOwnPlace({ ...config, s3: config.s3 })).list(prefix))
      yield key.slice(prefix.length);
    return;
  }
  for await (const entry of await opendir(config.blobsDir, { recursive: true })) {
    const key = relative(config.blobsDir, join(entry.parentPath, entry.name)).split(sep).join("/");
    if (entry.isFile() && !key.startsWith(`${PARTIAL_DIR}/`)) yield key;
  }
}
