import { openAuthConfig } from "../domain/storage/auth-secrets.ts";
import { findAzureAccount } from "../domain/storage/azure-account.ts";
import { type Bucket, BucketError } from "../domain/storage/bucket.ts";
import type { StorageIntegrationRecord } from "../domain/storage/storage-integration-record.ts";
import type { Buckets } from "../domain/storage/storage-ports.ts";
import { type Vault, WrongVaultKey } from "../domain/vault.ts";
import { type AddressGuard, AddressRefused } from "../net/address-guard.ts";
import type { AwsAccess } from "./aws-bucket.ts";
import type { GcpAccess } from "./gcs-bucket.ts";
import { guardContent } from "./guard-content.ts";

/** Open buckets keep connections and sessions; beyond this many, the oldest is dropped. */
const MAX_OPEN = 100;

export type BucketAccess = { vault: Vault; guard: AddressGuard; aws: AwsAccess; gcp: GcpAccess };

function checkEndpoint(guard: AddressGuard, endpoint: string): void {
  try {
    guard.checkUrl(new URL(endpoint));
  } catch (error) {
    throw error instanceof AddressRefused ? new BucketError("access-denied", error.message) : error;
  }
}

/** Client libraries are loaded at first use: they take time and 5 to 40 MB that most installations don't need. */
async function openBucket(access: BucketAccess, integration: StorageIntegrationRecord): Promise<Bucket> {
  const { vault, guard, aws, gcp } = access;
  const { type, storageName: bucket } = integration;
  switch (type) {
    case "aws": {
      const { openAwsBucket } = await import("./aws-bucket.ts");
      const config = await openAuthConfig<"aws">(vault, integration);
      return openAwsBucket(bucket, config as typeof config & { externalId: string }, aws);
    }
    case "s3": {
      const { openS3Bucket } = await import("./s3-bucket.ts");
      const config = await openAuthConfig<"s3">(vault, integration);
      checkEndpoint(guard, config.endpoint);
      const { accessKeyId, secretAccessKey, ...place } = config;
      const credentials = { accessKeyId, secretAccessKey };
      return openS3Bucket({ ...place, bucket, credentials, agents: guard.agents });
    }
    case "gcp": {
      const { openGcsBucket } = await import("./gcs-bucket.ts");
      return openGcsBucket(bucket, await openAuthConfig<"gcp">(vault, integration), gcp);
    }
    case "azure": {
      const { openAzureBucket } = await import("./azure-bucket.ts");
      const account = findAzureAccount(await openAuthConfig<"azure">(vault, integration));
      if (!account) throw new BucketError("failed", "The connection string can't be read");
      checkEndpoint(guard, account.endpoint);
      return openAzureBucket(bucket, account, guard.agents);
    }
  }
}

function withGuardedContent(bucket: Bucket): Bucket {
  return {
    ...bucket,
    async read(key, options) {
      const found = await bucket.read(key, options);
      return { ...found, content: guardContent(found.content) };
    },
  };
}

/** Opens customers' buckets, and keeps them open. */
export function makeBuckets(access: BucketAccess): Buckets {
  const opened = new Map<string, Promise<Bucket>>();
  return {
    async open(integration) {
      const known = opened.get(integration.id);
      if (known) return await known;
      const [oldest] = opened.keys();
      if (opened.size >= MAX_OPEN && oldest !== undefined) opened.delete(oldest);
      const opening = openBucket(access, integration).then(withGuardedContent, (error: unknown) => {
        throw error instanceof WrongVaultKey ? new BucketError("not-set-up", error.message) : error;
      });
      opened.set(integration.id, opening);
      opening.catch(() => opened.delete(integration.id));
      return await opening;
    },
  };
}
