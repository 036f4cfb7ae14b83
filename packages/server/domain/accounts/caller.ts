import type { KeyRole, PersonRole } from "@stemwright/contract";

/** A person using the dashboard. */
export type SignedInPerson = { id: string; sessionId: string; clientId: string; role: PersonRole };

/** Who makes a request: the account behind the key or session, and its role. */
export type Caller = {
  /** Of the key or the session. */
  keyId: string;
  /** The client the request is for; an administrator may name another one. */
  clientId: string;
  role: KeyRole;
  person?: SignedInPerson;
};

/** The person behind a request, in whichever session, or else the key. */
export const toPrincipal = ({ person, keyId }: Pick<Caller, "person" | "keyId">) => person?.id ?? keyId;
