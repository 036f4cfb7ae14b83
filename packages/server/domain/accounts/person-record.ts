import type {
  Invitation,
  Me,
  Person,
  PersonRole,
  PersonSession,
  ReceivedInvitation,
  SignInMethod,
} from "@stemwright/contract";

export type PersonRecord = {
  id: string;
  clientId: string;
  clientName: string;
  /** Whether the client's owners are administrators. */
  isClientAdministrative: boolean;
  isClientSuspended: boolean;
  role: PersonRole;
  email: string | null;
  name: string;
  passwordHash: string | null;
  /** Whether the person is linked to the identity provider. */
  hasIdentity: boolean;
  createdAt: Date;
  lastSeenAt: Date | null;
};

export type SessionRecord = {
  id: string;
  method: SignInMethod;
  address: string;
  agent: string;
  createdAt: Date;
  lastUsedAt: Date;
};

export type InvitationRecord = {
  id: string;
  clientId: string;
  role: PersonRole;
  email: string | null;
  createdAt: Date;
  expiresAt: Date;
};

/** An invitation as whoever has the link sees it. */
export type ReceivedInvitationRecord = Omit<InvitationRecord, "id" | "createdAt"> & { clientName: string };

/** How long a sign-in by link proves who somebody is, so that a forgotten password can be replaced. */
const LINK_PROOF_MS = 3_600_000;
/** The same for one at the identity provider, of people without a password. Signing in there again takes a click, and a stolen session is usually older. */
const PROVIDER_PROOF_MS = 600_000;

/** Owners only: a member of the first account does not get the whole installation. */
export const isAdministrator = ({
  role,
  isClientAdministrative,
}: Pick<PersonRecord, "role" | "isClientAdministrative">) => role === "owner" && isClientAdministrative;

export const toPerson = (record: PersonRecord): Person => ({
  id: record.id,
  email: record.email,
  name: record.name,
  role: record.role,
  isAdministrator: isAdministrator(record),
  createdAt: record.createdAt.toISOString(),
  lastSeenAt: record.lastSeenAt?.toISOString() ?? null,
});

/** Whether email and password can be changed without the current password, after a sign-in that proves as much. */
export function mayResetPassword(
  { passwordHash }: Pick<PersonRecord, "passwordHash">,
  { method, createdAt }: Pick<SessionRecord, "method" | "createdAt">,
): boolean {
  const ageMs = Date.now() - createdAt.getTime();
  if (method === "link") return ageMs < LINK_PROOF_MS;
  return passwordHash === null && method === "oidc" && ageMs < PROVIDER_PROOF_MS;
}

export function toMe(record: PersonRecord, session: SessionRecord): Me {
  const { id, email, name, role, isAdministrator } = toPerson(record);
  return {
    person: { id, email, name, role, isAdministrator },
    client: { id: record.clientId, name: record.clientName },
    needsPassword: record.passwordHash === null && session.method !== "oidc",
    hasPassword: record.passwordHash !== null,
    mayResetPassword: mayResetPassword(record, session),
    hasIdentity: record.hasIdentity,
  };
}

export const toPersonSession = (record: SessionRecord, currentId: string): PersonSession => ({
  id: record.id,
  method: record.method,
  address: record.address,
  agent: record.agent,
  createdAt: record.createdAt.toISOString(),
  lastUsedAt: record.lastUsedAt.toISOString(),
  isCurrent: record.id === currentId,
});

export const toInvitation = (record: InvitationRecord): Invitation => ({
  id: record.id,
  role: record.role,
  email: record.email,
  createdAt: record.createdAt.toISOString(),
  expiresAt: record.expiresAt.toISOString(),
});

export const toReceivedInvitation = (record: ReceivedInvitationRecord): ReceivedInvitation => ({
  client: { name: record.clientName },
  role: record.role,
  email: record.email,
  expiresAt: record.expiresAt.toISOString(),
});
