import type { StorageIntegration } from "@stemwright/contract";
import type { StorageIntegrationRecord } from "./storage-integration-record.ts";

export function toStorageIntegration(integration: StorageIntegrationRecord): StorageIntegration {
  const { id, clientId, type, storageName, authConfig, createdAt, updatedAt } = integration;
  return {
    id,
    clientId,
    type,
    storageName,
    authConfig,
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
