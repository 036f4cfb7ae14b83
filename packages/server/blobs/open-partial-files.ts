import type { Config } from "../config/load-config.ts";
import type { Blobs } from "../domain/ports.ts";
import type { PartialFiles } from "../domain/uploads/partial-files.ts";
import { openFilePartials } from "./file-partials.ts";
import { openS3Partials } from "./s3-partials.ts";
import type { FileRoom } from "./write-new-file.ts";

/** Unfinished uploads, where the installation's own store keeps its files. */
export async function openPartialFiles(
  { s3, aws, blobsDir }: Pick<Config, "s3" | "aws" | "blobsDir">,
  { own, room }: { own: Blobs; room: FileRoom },
): Promise<PartialFiles> {
  if (!s3) return openFilePartials(own, { rootDir: blobsDir, room });
  const { bucket, prefix, region, endpoint, publicEndpoint } = s3;
  const { openS3Multipart } = await import("../buckets/s3-multipart.ts");
  const { credentials } = aws;
  const forcePathStyle = endpoint !== undefined;
  const multipart = openS3Multipart({
    bucket,
    region,
    endpoint,
    forcePathStyle,
    credentials,
    publicEndpoint,
  });
  return openS3Partials({ own, multipart, prefix, isDirectAllowed: s3.hasPresignedLinks });
}
