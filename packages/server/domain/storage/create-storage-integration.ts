import type { StorageIntegrationRequest } from "@stemwright/contract";
import type { Caller } from "../accounts/caller.ts";
import { makeId } from "../ids.ts";
import type { UrlRules } from "../ports.ts";
import { refuseField } from "../refuse-field.ts";
import { sealAuthConfig } from "./auth-secrets.ts";
import { findAzureAccount } from "./azure-account.ts";
import type { StorageIntegrationRecord } from "./storage-integration-record.ts";
import type { StoragePorts } from "./storage-ports.ts";
import { getOwnerId, refuseOwner } from "./storage-scope.ts";

type Ports = Pick<StoragePorts, "integrations" | "vault"> & { urls: UrlRules };

/** An endpoint named by a client follows the same rules as every other address. */
function checkEndpoint(ports: Ports, request: StorageIntegrationRequest): void {
  if (request.type === "s3") ports.urls.check(request.authConfig.endpoint, "authConfig.endpoint");
  if (request.type !== "azure") return;
  const account = findAzureAccount(request.authConfig);
  const path = "authConfig.connectionString";
  if (!account) {
    const message = "must have BlobEndpoint or AccountName, and AccountKey or SharedAccessSignature";
    refuseField("REQUEST_INVALID", { path, message }, `${path}: ${message}`);
  }
  ports.urls.check(account.endpoint, path);
}

/** Stores a client's access to a bucket. `verify` tells whether it works. */
export async function createStorageIntegration(
  ports: Ports,
  caller: Caller,
  { request, clientIdOfQuery }: { request: StorageIntegrationRequest; clientIdOfQuery: string | undefined },
): Promise<StorageIntegrationRecord> {
  const clientId = getOwnerId(caller, { inBody: request.clientId, inQuery: clientIdOfQuery });
  checkEndpoint(ports, request);
  const { type, storageName } = request;
  const id = makeId();
  // The customer puts it into the role's trust policy, so that nobody else can make us assume the role.
  const authConfig =
    type === "aws" ? { ...request.authConfig, externalId: makeId() } : { ...request.authConfig };
  const createdAt = new Date();
  const integration = {
    id,
    clientId,
    type,
    storageName,
    ...(await sealAuthConfig(ports.vault, { id, type, authConfig })),
    createdAt,
    updatedAt: createdAt,
  };
  if (!(await ports.integrations.insertIntegration(integration)))
    refuseOwner("There is no client with that id");
  return integration;
}
