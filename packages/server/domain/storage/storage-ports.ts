import type { Page } from "@stemwright/contract";
import type { Listed } from "../ports.ts";
import type { Bucket } from "./bucket.ts";
import type { StorageIntegrationRecord, StorageScope } from "./storage-integration-record.ts";

export interface StorageIntegrationStore {
  /** False when there is no such client. */
  insertIntegration(integration: StorageIntegrationRecord): Promise<boolean>;
  findIntegration(scope: StorageScope, id: string): Promise<StorageIntegrationRecord | undefined>;
  listIntegrations(scope: StorageScope, page: Page): Promise<Listed<StorageIntegrationRecord>>;
  /** Refused while an unfinished Task uses it. */
  deleteIntegration(
    scope: StorageScope,
    id: string,
  ): Promise<StorageIntegrationRecord | "in-use" | undefined>;
}

/** Encrypts what must not be readable from the database alone. The context is bound in: a text can't be moved elsewhere. */
export interface Vault {
  seal(text: string, context: string): Promise<Buffer>;
  unseal(sealed: Buffer, context: string): Promise<string>;
}

export interface Buckets {
  /** The integration's bucket. Nothing is connected to until it is used. */
  open(integration: StorageIntegrationRecord): Promise<Bucket>;
}

export type StoragePorts = {
  integrations: StorageIntegrationStore;
  vault: Vault;
  buckets: Buckets;
};
