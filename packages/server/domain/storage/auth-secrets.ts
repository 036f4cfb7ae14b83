import type { AuthConfigOf, StorageType } from "@stemwright/contract";
import type { Vault } from "../vault.ts";
import type { StorageIntegrationRecord } from "./storage-integration-record.ts";

const HIDDEN = "***";
const SECRET_FIELDS: Record<StorageType, readonly string[]> = {
  aws: [],
  s3: ["secretAccessKey"],
  gcp: ["serviceAccountKey"],
  azure: ["connectionString", "sasToken"],
};

/** Splits an integration's authentication into what may be shown, and the encrypted secrets. */
export async function sealAuthConfig(
  vault: Vault,
  integration: { id: string; type: StorageType; authConfig: Record<string, unknown> },
): Promise<Pick<StorageIntegrationRecord, "authConfig" | "sealedSecrets">> {
  const { id, type, authConfig } = integration;
  const isSecret = (name: string) => SECRET_FIELDS[type].includes(name);
  const entries = Object.entries(authConfig);
  const secrets = Object.fromEntries(entries.filter(([name]) => isSecret(name)));
  return {
    authConfig: Object.fromEntries(entries.map(([name, value]) => [name, isSecret(name) ? HIDDEN : value])),
    sealedSecrets: await vault.seal(JSON.stringify(secrets), id),
  };
}

/** Joins the two halves again, for connecting. */
export async function openAuthConfig<Type extends StorageType>(
  vault: Vault,
  integration: StorageIntegrationRecord,
): Promise<AuthConfigOf<Type>> {
  const secrets = JSON.parse(await vault.unseal(integration.sealedSecrets, integration.id)) as object;
  return { ...integration.authConfig, ...secrets } as AuthConfigOf<Type>;
}
