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
  const { bucket, prefix, region, endpoint } = s3;
  const forcePathStyle = endpoint !== undefined;
  const place = { bucket, region, endpoint, forcePathStyle, credentials: aws.credentials };
  return openS3Blobs({ place, prefix, tempDir: join(blobsDir, PARTIAL_DIR) });
}
