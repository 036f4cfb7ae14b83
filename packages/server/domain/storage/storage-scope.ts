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

/** The owner of a new integration: administrators must name it, others must not. */
export function getOwnerId(caller: Caller, clientId: string | undefined): string {
  if (caller.role === "admin")
    return (
      clientId ?? refuseOwner("An administrator's request needs the clientId that the integration is for")
    );
  if (clientId !== undefined) refuseOwner("Leave clientId out; it is for administrators");
  return caller.clientId;
}
