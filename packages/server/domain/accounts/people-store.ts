import type { PersonRole, SignInMethod } from "@stemwright/contract";
import type { InvitationRecord, PersonRecord, SessionRecord } from "./person-record.ts";

export type NewPerson = {
  clientId: string;
  role: PersonRole;
  email: string | null;
  name: string;
  passwordHash?: string;
  /** Issuer and subject at the identity provider. */
  identity?: string;
};

export type NewSession = {
  personId: string;
  tokenHash: Buffer;
  method: SignInMethod;
  address: string;
  agent: string;
};

export type PersonChanges = { role?: PersonRole; name?: string; email?: string; passwordHash?: string };

/** People, how they sign in, and their sessions. */
export interface PeopleStore {
  /** Whether anybody has an email address to sign in with. */
  hasPeople(): Promise<boolean>;
  findPerson(
    by: { id: string } | { email: string } | { identity: string },
  ): Promise<PersonRecord | undefined>;
  listPeople(clientId: string): Promise<PersonRecord[]>;
  /** Undefined if the email address is taken. */
  insertPerson(person: NewPerson): Promise<PersonRecord | undefined>;
  /** "taken" if another person has the email address. */
  changePerson(id: string, changes: PersonChanges): Promise<"changed" | "taken">;
  setRole(clientId: string, id: string, role: PersonRole): Promise<PersonRecord | "last-owner" | undefined>;
  removePerson(clientId: string, id: string): Promise<PersonRecord | "last-owner" | undefined>;
  /** Binds an identity to a person who has none yet. */
  bindIdentity(id: string, identity: string): Promise<boolean>;

  insertSession(session: NewSession): Promise<SessionRecord>;
  findSession(personId: string, id: string): Promise<SessionRecord | undefined>;
  listSessions(personId: string): Promise<SessionRecord[]>;
  deleteSession(personId: string, id: string): Promise<SessionRecord | undefined>;
  /** Sessions and one-time links: locks out anybody who knows the old password. */
  deleteAllSessions(personId: string): Promise<void>;

  insertSignInLink(link: { personId: string; tokenHash: Buffer; expiresAt: Date }): Promise<void>;
  /** Consumes a link and returns its person. */
  takeSignInLink(tokenHash: Buffer): Promise<string | undefined>;

  insertInvitation(invitation: {
    clientId: string;
    tokenHash: Buffer;
    role: PersonRole;
    email: string | null;
    expiresAt: Date;
  }): Promise<InvitationRecord>;
  listInvitations(clientId: string): Promise<InvitationRecord[]>;
  deleteInvitation(clientId: string, id: string): Promise<InvitationRecord | undefined>;
  /** Whether an invitation with this token exists, for whichever address. */
  hasInvitation(tokenHash: Buffer): Promise<boolean>;
  /** Consumes an invitation and creates its person; does neither if the email address is wrong or taken. */
  acceptInvitation(
    by: { tokenHash: Buffer } | { email: string },
    person: Omit<NewPerson, "clientId" | "role" | "email"> & { email: string },
  ): Promise<PersonRecord | "unknown" | "taken">;

  /** Counts an attempt; returns the count in the current window, and the time until it ends. */
  countAttempt(
    subject: Buffer,
    windowSeconds: number,
  ): Promise<{ attempts: number; resetsInSeconds: number }>;
  /** Takes attempts back: all, or one. */
  forgiveAttempts(subject: Buffer, count: "all" | 1): Promise<void>;
}
