import type { Readable } from "node:stream";
import {
  AnonymousCredential,
  BlobSASPermissions,
  ContainerClient,
  newPipeline,
  type RequestPolicyFactory,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import type { AzureAccount } from "../domain/storage/azure-account.ts";
import { type Bucket, BucketError } from "../domain/storage/bucket.ts";
import type { GuardedAgents } from "../net/guarded-agents.ts";
import { asBucketCall, findByBucketCall, toBucketError, toWriteError } from "./to-bucket-error.ts";

/** 50,000 blocks, Azure's maximum, are 210 GB. */
const BLOCK_BYTES = 4 * 1024 ** 2;
const BLOCKS_AT_ONCE = 2;
const TRIES = 3;

/** Sends every request, including retries, through the guarded agents. */
const useAgents = (agents: GuardedAgents): RequestPolicyFactory => ({
  create: (next) => ({
    sendRequest(request) {
      request.agent = request.url.startsWith("https:") ? agents.https : agents.http;
      return next.sendRequest(request);
    },
  }),
});

function openContainer(container: string, account: AzureAccount, agents: GuardedAgents): ContainerClient {
  const { endpoint, accountName, accountKey, sasToken } = account;
  const credential =
    accountName !== undefined && accountKey !== undefined
      ? new StorageSharedKeyCredential(accountName, accountKey)
      : new AnonymousCredential();
  const pipeline = newPipeline(credential, { retryOptions: { maxTries: TRIES, tryTimeoutInMs: 60_000 } });
  pipeline.factories.push(useAgents(agents));
  const url = `${endpoint.replace(/\/+$/, "")}/${encodeURIComponent(container)}`;
  return new ContainerClient(sasToken === undefined ? url : `${url}?${sasToken}`, pipeline);
}

/** A container of Azure Blob Storage. */
export function openAzureBucket(container: string, account: AzureAccount, agents: GuardedAgents): Bucket {
  const client = openContainer(container, account, agents);
  const optionsOf = (signal: AbortSignal | undefined) => (signal ? { abortSignal: signal } : {});

  return {
    async read(key, { startByte = 0, endByte, version, signal } = {}) {
      const count = endByte === undefined ? undefined : endByte - startByte + 1;
      const response = await asBucketCall(() =>
        client.getBlobClient(key).download(startByte, count, {
          ...optionsOf(signal),
          ...(version === undefined ? {} : { conditions: { ifMatch: version } }),
        }),
      );
      const { readableStreamBody, contentLength = 0, contentRange, contentEncoding, etag } = response;
      if (!readableStreamBody) throw new BucketError("failed", "The storage answered without content");
      const sizeBytes = Number(/\/(\d+)$/.exec(contentRange ?? "")?.[1] ?? contentLength);
      return { content: readableStreamBody as Readable, sizeBytes, version: etag, contentEncoding };
    },

    async findSize(key) {
      const properties = await findByBucketCall(() => client.getBlobClient(key).getProperties());
      return properties && (properties.contentLength ?? 0);
    },

    async write(key, content, { type, signal }) {
      try {
        // Blocks stay invisible until they are committed; Azure drops unused ones.
        await client.getBlockBlobClient(key).uploadStream(content, BLOCK_BYTES, BLOCKS_AT_ONCE, {
          ...optionsOf(signal),
          blobHTTPHeaders: { blobContentType: type },
        });
      } catch (error) {
        throw toWriteError(error, content, signal);
      }
    },

    async *list(prefix, { signal } = {}) {
      try {
        for await (const { name } of client.listBlobsFlat({ prefix, ...optionsOf(signal) })) yield name;
      } catch (error) {
        throw toBucketError(error);
      }
    },

    async delete(key, { signal } = {}) {
      await asBucketCall(() => client.deleteBlob(key, optionsOf(signal)));
    },

    async signRead(key, lifetimeSeconds) {
      // A SAS token can't sign another with fewer rights, and the customer's own must not appear in links.
      if (account.accountKey === undefined) return undefined;
      return await client.getBlobClient(key).generateSasUrl({
        permissions: BlobSASPermissions.parse("r"),
        expiresOn: new Date(Date.now() + lifetimeSeconds * 1000),
      });
    },
  };
}
