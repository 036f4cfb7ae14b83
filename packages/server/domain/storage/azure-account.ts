import type { AuthConfigOf } from "@stemwright/contract";

export type AzureAccount = { endpoint: string; accountName?: string; accountKey?: string; sasToken?: string };

const toPublicEndpoint = (accountName: string, protocol = "https", suffix = "core.windows.net") =>
  `${protocol}://${accountName}.blob.${suffix}`;

/**
 * The endpoint and credentials of an Azure account. The connection string is parsed only here, so that the endpoint that was checked is the one that is
 * used.
 */
export function findAzureAccount(config: AuthConfigOf<"azure">): AzureAccount | undefined {
  const { connectionString, accountName = "", sasToken = "" } = config;
  if (connectionString === undefined)
    return { endpoint: toPublicEndpoint(accountName), sasToken: sasToken.replace(/^\?/, "") };
  const fields = new Map(
    connectionString
      .split(";")
      .map((field) => field.trim())
      .filter((field) => field.includes("="))
      .map((field) => {
        const at = field.indexOf("=");
        return [field.slice(0, at).toLowerCase(), field.slice(at + 1)] as const;
      }),
  );
  const name = fields.get("accountname");
  const endpoint =
    fields.get("blobendpoint") ??
    (name && toPublicEndpoint(name, fields.get("defaultendpointsprotocol"), fields.get("endpointsuffix")));
  const key = fields.get("accountkey");
  const sas = fields.get("sharedaccesssignature")?.replace(/^\?/, "");
  if (!endpoint || !URL.canParse(endpoint)) return undefined;
  if (name && key) return { endpoint, accountName: name, accountKey: key };
  return sas ? { endpoint, sasToken: sas } : undefined;
}
