import { signal } from "@preact/signals";
import { AuthenticationError, type Me } from "@stemwright/sdk";
import { client } from "./client.ts";

export type { Me } from "@stemwright/sdk";

/** Undefined until it is known, null when nobody is signed in. */
export const me = signal<Me | null | undefined>(undefined);

export async function loadMe(): Promise<void> {
  try {
    me.value = await client.account.me();
  } catch (error) {
    if (!(error instanceof AuthenticationError)) throw error;
    me.value = null;
  }
}

export async function signOut(): Promise<void> {
  await client.account.signOut();
  me.value = null;
}
