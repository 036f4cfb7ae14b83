import type { KeyRole, PersonRole } from "@stemwright/contract";

/** Somebody at the dashboard. */
export type SignedInPerson = { id: string; sessionId: string; clientId: string; role: PersonRole };

/** Who makes a request: the account behind the key or session, and what it may do. */
export type Caller = {
  /** Of the key, or of the session. */
  keyId: string;
  /** The client the request is for; an administrator may name another than its own. */
  clientId: string;
  role: KeyRole;
  person?: SignedInPerson;
};
