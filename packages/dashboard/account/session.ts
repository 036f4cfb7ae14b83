import { signal } from "@preact/signals";
import { AuthenticationError, type Me, NotFoundError, PermissionError } from "@stemwright/sdk";
import { actFor, actingFor } from "./acting-for.ts";
import { apiClient } from "./api-client.ts";

export type { Me } from "@stemwright/sdk";

/** Undefined until known, null when signed out. */
export const me = signal<Me | null | undefined>(undefined);

/** Whose Tasks, keys and storage the pages show. */
export const getClientId = () => actingFor?.id ?? me.value?.client.id;

export async function loadMe(): Promise<void> {
  try {
    me.value = await apiClient.account.me();
  } catch (error) {
    // Somebody else has signed in here meanwhile, or the client is gone.
    if (actingFor && (error instanceof PermissionError || error instanceof NotFoundError))
      return actFor(undefined);
    if (!(error instanceof AuthenticationError)) throw error;
    me.value = null;
  }
}

export async function signOut(): Promise<void> {
  await apiClient.account.signOut();
  me.value = null;
  if (actingFor) actFor(undefined);
}
