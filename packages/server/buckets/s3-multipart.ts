import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListPartsCommand,
  S3Client,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { BucketError } from "../domain/storage/bucket.ts";
import { type S3BucketOptions, toClientConfig } from "./s3-bucket.ts";
import { asBucketCall, isUnknownMultipart } from "./to-bucket-error.ts";

/** One multipart upload of one object. */
export type Multipart = { key: string; uploadId: string };
export type StoredPart = { number: number; sizeBytes: number; etag: string };

/** Multipart uploads that outlive a request. Failures are BucketErrors. */
export function openS3Multipart(
  options: S3BucketOptions & {
    /** Where clients reach the bucket, for presigned URLs. */
    publicEndpoint?: string | undefined;
  },
) {
  const { bucket: Bucket, publicEndpoint } = options;
  const client = new S3Client(toClientConfig(options));
  const signer =
    publicEndpoint === undefined
      ? client
      : new S3Client(toClientConfig({ ...options, endpoint: publicEndpoint, forcePathStyle: true }));
  const toParams = ({ key: Key, uploadId: UploadId }: Multipart) => ({ Bucket, Key, UploadId });

  /** Not the library's paginator: it reads on after the last page, from the first. */
  async function list(multipart: Multipart): Promise<StoredPart[]> {
    const parts: StoredPart[] = [];
    for (let marker: string | undefined; ; ) {
      const command = new ListPartsCommand({ ...toParams(multipart), PartNumberMarker: marker });
      const {
        Parts = [],
        IsTruncated,
        NextPartNumberMarker,
      } = await asBucketCall(() => client.send(command));
      for (const { PartNumber = 0, Size = 0, ETag = "" } of Parts)
        parts.push({ number: PartNumber, sizeBytes: Size, etag: ETag });
      if (!IsTruncated || NextPartNumberMarker === undefined) return parts;
      marker = NextPartNumberMarker;
    }
  }

  return {
    async create(Key: string, ContentType: string): Promise<string> {
      const command = new CreateMultipartUploadCommand({ Bucket, Key, ContentType });
      const { UploadId } = await asBucketCall(() => client.send(command));
      if (UploadId === undefined) throw new BucketError("failed", "The storage began no multipart upload");
      return UploadId;
    },
    async put(multipart: Multipart, number: number, Body: Buffer): Promise<void> {
      const command = new UploadPartCommand({ ...toParams(multipart), PartNumber: number, Body });
      await asBucketCall(() => client.send(command));
    },
    list,
    async complete(multipart: Multipart, parts: readonly StoredPart[]): Promise<void> {
      const Parts = parts.map(({ number, etag }) => ({ PartNumber: number, ETag: etag }));
      const command = new CompleteMultipartUploadCommand({
        ...toParams(multipart),
        MultipartUpload: { Parts },
      });
      await asBucketCall(() => client.send(command));
    },
    async abort(multipart: Multipart): Promise<void> {
      try {
        await asBucketCall(() => client.send(new AbortMultipartUploadCommand(toParams(multipart))));
      } catch (error) {
        if (!isUnknownMultipart(error)) throw error;
      }
    },
    /** The length is signed as well, so that nobody can store more than was announced. */
    sign(
      multipart: Multipart,
      part: { number: number; sizeBytes: number },
      expiresIn: number,
    ): Promise<string> {
      const command = new UploadPartCommand({
        ...toParams(multipart),
        PartNumber: part.number,
        ContentLength: part.sizeBytes,
      });
      return asBucketCall(() =>
        getSignedUrl(signer, command, { expiresIn, signableHeaders: new Set(["host", "content-length"]) }),
      );
    },
  };
}
export type S3Multipart = ReturnType<typeof openS3Multipart>;
