import type { PersonRole, SignInMethod } from "@stemwright/contract";
import type { AttemptCounter } from "./allowance.ts";
import type {
  InvitationRecord,
  PersonRecord,
  ReceivedInvitationRecord,
  SessionRecord,
} from "./person-record.ts";

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
  /** As read when the sign-in was checked. */
  person: Pick<PersonRecord, "id" | "email" | "passwordHash">;
  /** The one-time link that the sign-in consumes. */
  linkHash?: Buffer;
  tokenHash: Buffer;
  method: SignInMethod;
  address: string;
  agent: string;
};

export type PersonChanges = { name?: string; email?: string; passwordHash?: string };

/** People, how they sign in, and their sessions. */
export interface PeopleStore {
  /** Whether anybody has an email address to sign in with. */
  hasPeople(): Promise<boolean>;
  findPerson(
    by: { id: string } | { email: string } | { identity: string },
  ): Promise<PersonRecord | undefined>;
  listPeople(clientId: string): Promise<PersonRecord[]>;
  /** Undefined if the email address or identity is taken. */
  insertPerson(person: NewPerson): Promise<PersonRecord | undefined>;
  /**
   * Changes the person of a session. A new password ends all sessions and one-time links, so that whoever knows the old one is locked out. "taken" if
   * another person has the email address, "ended" if the session or the password has gone since they were read.
   */
  changeSelf(
    known: { person: Pick<PersonRecord, "id" | "passwordHash">; sessionId: string },
    changes: PersonChanges,
  ): Promise<"changed" | "taken" | "ended">;
  setRole(clientId: string, id: string, role: PersonRole): Promise<PersonRecord | "last-owner" | undefined>;
  removePerson(clientId: string, id: string): Promise<PersonRecord | "last-owner" | undefined>;
  /** Binds an identity to a person who has none yet. */
  bindIdentity(id: string, identity: string): Promise<boolean>;

  /** Undefined if the person, the email address, the password or the link is no longer what was checked. */
  insertSession(session: NewSession): Promise<SessionRecord | undefined>;
  findSession(personId: string, id: string): Promise<SessionRecord | undefined>;
  listSessions(personId: string): Promise<SessionRecord[]>;
  deleteSession(personId: string, id: string): Promise<SessionRecord | undefined>;

  insertSignInLink(link: { personId: string; tokenHash: Buffer; expiresAt: Date }): Promise<void>;
  /** The person of a link that is still good. */
  findSignInLink(tokenHash: Buffer): Promise<string | undefined>;

  insertInvitation(invitation: {
    clientId: string;
    tokenHash: Buffer;
    role: PersonRole;
    email: string | null;
    expiresAt: Date;
  }): Promise<InvitationRecord>;
  listInvitations(clientId: string): Promise<InvitationRecord[]>;
  deleteInvitation(clientId: string, id: string): Promise<InvitationRecord | undefined>;
  /** The open invitation with this token. */
  findInvitation(tokenHash: Buffer): Promise<ReceivedInvitationRecord | undefined>;
  /** Consumes an invitation and creates its person; does neither if the email address or identity is taken. */
  acceptInvitation(
    tokenHash: Buffer,
    person: Omit<NewPerson, "clientId" | "role">,
  ): Promise<PersonRecord | "unknown" | "taken">;

  /** Counts an attempt for each, or for none if one of them has to wait; returns for how many seconds. */
  countAttempts(counters: readonly AttemptCounter[]): Promise<number>;
  /** Takes attempts back: all, or one. */
  forgiveAttempts(subjects: { all: readonly Buffer[]; one: readonly Buffer[] }): Promise<void>;
}
