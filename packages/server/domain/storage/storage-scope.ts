import type { Caller } from "../accounts/caller.ts";
import { refuseField } from "../refuse-field.ts";
import type { StorageScope } from "./storage-integration-record.ts";

/** Refuses a new integration because of its owner. */
export const refuseOwner = (message: string): never =>
  refuseField("REQUEST_INVALID", { path: "clientId", message });

/** Administrators see everybody's integrations, or those of the client they name; others only their own. */
export function toStorageScope(caller: Caller, clientId: string | undefined): StorageScope {
  if (caller.role === "admin") return clientId === undefined ? {} : { clientId };
  return { clientId: caller.clientId };
}

/** The client that a request names in its body and in its query. */
export type NamedOwner = { inBody: string | undefined; inQuery: string | undefined };

/** The owner of a new integration: administrators must name it, others must not. */
export function getOwnerId(caller: Caller, { inBody, inQuery }: NamedOwner): string {
  if (caller.role !== "admin") {
    if (inBody !== undefined) refuseOwner("Leave clientId out; it is for administrators");
    return caller.clientId;
  }
  if (inBody !== undefined && inQuery !== undefined && inBody !== inQuery)
    refuseOwner("The body and the query name different clients; give clientId in one of them");
  return (
    inBody ??
    inQuery ??
    refuseOwner(
      "An administrator's request needs the clientId that the integration is for, in the body or query",
    )
  );
}
