import { basename, extname } from "node:path";
import { toFileName } from "@stemwright/contract";
import type { Config } from "../config/load-config.ts";
import { toContentDisposition } from "../domain/content-disposition.ts";
import { LINK_LIFETIME_SECONDS } from "../domain/links.ts";
import type { Presign } from "../domain/storage/output-links.ts";

/** Presigns URLs to files in our own bucket; undefined if downloads go through the API. */
export async function openPresigner({ s3, aws }: Pick<Config, "s3" | "aws">): Promise<Presign | undefined> {
  if (!s3?.hasPresignedLinks) return undefined;
  const { openS3Bucket } = await import("../buckets/s3-bucket.ts");
  const endpoint = s3.publicEndpoint ?? s3.endpoint;
  const { signDownload } = openS3Bucket({
    bucket: s3.bucket,
    region: s3.region,
    endpoint,
    forcePathStyle: endpoint !== undefined,
    credentials: aws.credentials,
  });
  return (blobKey) => {
    const extension = extname(blobKey);
    const fileName = toFileName(basename(blobKey, extension), extension.slice(1));
    return signDownload(s3.prefix + blobKey, {
      lifetimeSeconds: LINK_LIFETIME_SECONDS,
      contentDisposition: toContentDisposition(fileName),
    });
  };
}
