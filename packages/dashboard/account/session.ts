import { signal } from "@preact/signals";
import { client, useKey } from "./client.ts";

/** Who is signed in. */
export type Me = {
  person: {
    id: string;
    email: string | null;
    name: string;
    role: "owner" | "member";
    isAdministrator: boolean;
  };
  client: { id: string; name: string };
  needsPassword: boolean;
};

/** Undefined until it is known, null when nobody is signed in. */
export const me = signal<Me | null | undefined>(undefined);

const KEY_HOLDER: Me = {
  person: { id: "", email: null, name: "API key", role: "member", isAdministrator: false },
  client: { id: "", name: "" },
  needsPassword: false,
};

export async function loadMe(): Promise<void> {
  me.value = null;
}

export async function signInWithKey(key: string): Promise<void> {
  useKey(key);
  try {
    await client.tasks.list({ take: 1 }).page();
    me.value = KEY_HOLDER;
  } catch (error) {
    useKey(null);
    throw error;
  }
}

export async function signOut(): Promise<void> {
  useKey(null);
  me.value = null;
}
