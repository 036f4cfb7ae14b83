import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  paginateListObjectsV2,
  S3Client,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { NodeHttpHandler } from "@smithy/node-http-handler";
import { type Bucket, BucketError } from "../domain/storage/bucket.ts";
import type { GuardedAgents } from "../net/guarded-agents.ts";
import { asBucketCall, findByBucketCall, toBucketError, toWriteError } from "./to-bucket-error.ts";

/** S3's minimum part size; the client holds up to six parts at once. 10,000 parts, S3's maximum, are 52 GB. */
const PART_BYTES = 5 * 1024 ** 2;
const PARTS_AT_ONCE = 2;
const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 60_000;

export type S3Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string };

export type S3BucketOptions = {
  bucket: string;
  region: string;
  endpoint?: string | undefined;
  forcePathStyle?: boolean;
  /** Default: from the environment (variables, files, the machine's role). */
  credentials?: S3Credentials | (() => Promise<S3Credentials>) | undefined;
  /** Credentials that last as long as a link should. Default: the same. */
  linkCredentials?: () => Promise<S3Credentials>;
  /** Default: unguarded connections, for endpoints that no client named. */
  agents?: GuardedAgents;
};

export function toClientConfig(options: S3BucketOptions): S3ClientConfig {
  const { region, endpoint, forcePathStyle = false, credentials, agents } = options;
  return {
    region,
    forcePathStyle,
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(credentials === undefined ? {} : { credentials }),
    // Many S3-compatible stores reject trailing checksums; requests are signed over their content's hash.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    requestHandler: new NodeHttpHandler({
      connectionTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: IDLE_TIMEOUT_MS,
      ...(agents ? { httpAgent: agents.http, httpsAgent: agents.https } : {}),
    }),
  };
}

const optionsOf = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});
const sizeOfRange = (contentRange: string | undefined) => /\/(\d+)$/.exec(contentRange ?? "")?.[1];

/** Statuses of stores without DeleteObjects, such as Google's. */
const UNKNOWN_STATUSES = [405, 501];

/** Older stores accept only MD5 as the checksum of this request, and every store accepts that. */
function makeDeletion(Bucket: string, keys: readonly string[]): DeleteObjectsCommand {
  const Objects = keys.map((Key) => ({ Key }));
  const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } });
  command.middlewareStack.add(
    (next) => (args) => {
      const { headers, body } = args.request as { headers: Record<string, string>; body: string };
      for (const name of Object.keys(headers)) if (/^x-amz-.*checksum/.test(name)) delete headers[name];
      headers["content-md5"] = createHash("md5").update(body).digest("base64");
      return next(args);
    },
    { step: "build", priority: "low", name: "contentMd5" },
  );
  return command;
}

export type S3Bucket = Bucket & {
  /** Deletes up to a thousand in one request; returns failures by key. Undefined if the store does not support it. */
  deleteMany(keys: readonly string[]): Promise<Map<string, BucketError> | undefined>;
  /** A presigned URL that downloads the object as a file. */
  signDownload(
    key: string,
    options: { lifetimeSeconds: number; contentDisposition: string },
  ): Promise<string>;
};

/** A bucket of Amazon S3 or any compatible store. */
export function openS3Bucket(options: S3BucketOptions): S3Bucket {
  const { bucket: Bucket } = options;
  const client = new S3Client(toClientConfig(options));
  let signing: { credentials: S3Credentials; client: S3Client } | undefined;

  /** One per session, however many links it signs. */
  async function getSigner(): Promise<S3Client> {
    const { linkCredentials } = options;
    if (!linkCredentials) return client;
    const credentials = await asBucketCall(linkCredentials);
    if (signing?.credentials !== credentials)
      signing = { credentials, client: new S3Client(toClientConfig({ ...options, credentials })) };
    return signing.client;
  }

  async function sign(command: GetObjectCommand, expiresIn: number): Promise<string> {
    const signer = await getSigner();
    return await asBucketCall(() => getSignedUrl(signer, command, { expiresIn }));
  }

  return {
    async read(Key, { startByte, endByte, version, signal } = {}) {
      const isPart = startByte !== undefined || endByte !== undefined;
      const command = new GetObjectCommand({
        Bucket,
        Key,
        ...(isPart ? { Range: `bytes=${startByte ?? 0}-${endByte ?? ""}` } : {}),
        ...(version === undefined ? {} : { IfMatch: version }),
      });
      const { Body, ContentLength, ContentRange, ContentEncoding, ETag } = await asBucketCall(() =>
        client.send(command, optionsOf(signal)),
      );
      if (!(Body instanceof Readable))
        throw new BucketError("failed", "The storage answered without content");
      return {
        content: Body,
        sizeBytes: Number(sizeOfRange(ContentRange) ?? ContentLength ?? 0),
        version: ETag,
        contentEncoding: ContentEncoding,
      };
    },

    async findSize(Key) {
      const head = await findByBucketCall(() => client.send(new HeadObjectCommand({ Bucket, Key })));
      return head && (head.ContentLength ?? 0);
    },

    async write(Key, content, { type, signal }) {
      const upload = new Upload({
        client,
        params: { Bucket, Key, Body: content, ContentType: type },
        partSize: PART_BYTES,
        queueSize: PARTS_AT_ONCE,
        leavePartsOnError: false,
      });
      const abort = () => void upload.abort();
      signal?.addEventListener("abort", abort);
      try {
        signal?.throwIfAborted();
        await upload.done();
      } catch (error) {
        throw toWriteError(error, content, signal);
      } finally {
        signal?.removeEventListener("abort", abort);
      }
    },

    async *list(Prefix, { signal } = {}) {
      try {
        const pages = paginateListObjectsV2({ client }, { Bucket, Prefix }, optionsOf(signal));
        for await (const { Contents = [] } of pages) {
          for (const { Key } of Contents) if (Key !== undefined) yield Key;
        }
      } catch (error) {
        throw toBucketError(error);
      }
    },

    async delete(Key, { signal } = {}) {
      await asBucketCall(() => client.send(new DeleteObjectCommand({ Bucket, Key }), optionsOf(signal)));
    },

    async deleteMany(keys) {
      try {
        const { Errors = [] } = await client.send(makeDeletion(Bucket, keys));
        return new Map(
          Errors.map(({ Key = "", Code, Message }) => [
            Key,
            new BucketError(Code === "AccessDenied" ? "access-denied" : "failed", `${Code}: ${Message}`),
          ]),
        );
      } catch (error) {
        const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
        if (UNKNOWN_STATUSES.includes($metadata?.httpStatusCode ?? 0)) return undefined;
        throw toBucketError(error);
      }
    },

    signRead: (Key, lifetimeSeconds) => sign(new GetObjectCommand({ Bucket, Key }), lifetimeSeconds),

    signDownload: (Key, { lifetimeSeconds, contentDisposition: ResponseContentDisposition }) =>
      sign(new GetObjectCommand({ Bucket, Key, ResponseContentDisposition }), lifetimeSeconds),
  };
}
