import type { StorageIntegration } from "@stemwright/contract";
import type { StorageIntegrationRecord } from "./storage-integration-record.ts";

/** `principalArn` is who assumes the roles of `aws` integrations, if the operator has set it. */
export function toStorageIntegration(
  integration: StorageIntegrationRecord,
  principalArn: string | undefined,
): StorageIntegration {
  const { id, clientId, type, storageName, authConfig, createdAt, updatedAt } = integration;
  return {
    id,
    clientId,
    type,
    storageName,
    authConfig,
    ...(type === "aws" && principalArn !== undefined ? { servicePrincipalArn: principalArn } : {}),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
