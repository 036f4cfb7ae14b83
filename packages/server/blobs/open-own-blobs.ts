import { join } from "node:path";
import type { Config } from "../config/load-config.ts";
import type { Blobs } from "../domain/ports.ts";
import { openFileBlobs, PARTIAL_DIR } from "./file-blobs.ts";
import { openS3Blobs } from "./s3-blobs.ts";
import type { FileRoom } from "./write-new-file.ts";

/** The installation's own store: a bucket if one is configured, else files in DATA_DIR. */
export function openOwnBlobs(
  { s3, aws, blobsDir }: Pick<Config, "s3" | "aws" | "blobsDir">,
  room?: FileRoom,
): Promise<Blobs> {
  if (!s3) return openFileBlobs(blobsDir, room);
  const place = toOwnPlace({ s3, aws });
  return openS3Blobs({ place, prefix: s3.prefix, tempDir: join(blobsDir, PARTIAL_DIR) });
}

export function toOwnPlace({ s3, aws }: Pick<Config, "aws"> & { s3: NonNullable<Config["s3"]> }) {
  const { bucket, region, endpoint } = s3;
  return { bucket, region, endpoint, forcePathStyle: endpoint !== undefined, credentials: aws.credentials };
}
