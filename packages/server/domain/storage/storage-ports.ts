import type { PageQuery } from "@stemwright/contract";
import type { Listed } from "../ports.ts";
import type { Vault } from "../vault.ts";
import type { Bucket } from "./bucket.ts";
import type { StorageIntegrationRecord, StorageScope } from "./storage-integration-record.ts";

export interface StorageIntegrationStore {
  /** False if the client does not exist. */
  insertIntegration(integration: StorageIntegrationRecord): Promise<boolean>;
  findIntegration(scope: StorageScope, id: string): Promise<StorageIntegrationRecord | undefined>;
  listIntegrations(scope: StorageScope, page: PageQuery): Promise<Listed<StorageIntegrationRecord>>;
  /** Refused while an unfinished Task uses it. */
  deleteIntegration(
    scope: StorageScope,
    id: string,
  ): Promise<StorageIntegrationRecord | "in-use" | undefined>;
}

export interface Buckets {
  /** The integration's bucket; connects at first use. */
  open(integration: StorageIntegrationRecord): Promise<Bucket>;
}

export type StoragePorts = {
  integrations: StorageIntegrationStore;
  vault: Vault;
  buckets: Buckets;
};
