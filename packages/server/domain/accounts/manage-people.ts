import type { InvitationRequest, MeChange, NewInvitation, PersonRole } from "@stemwright/contract";
import { getFound, makeUnknownError } from "../get-found.ts";
import { Refusal } from "../refusal.ts";
import { refuseField } from "../refuse-field.ts";
import { type AddressRules, checkAddress } from "./address-rules.ts";
import type { Caller, SignedInPerson } from "./caller.ts";
import { hashKey } from "./key-secrets.ts";
import type { PeopleStore } from "./people-store.ts";
import { mayResetPassword, type PersonRecord, type SessionRecord, toInvitation } from "./person-record.ts";
import {
  makeEmailTakenError,
  type OpenedSession,
  openSession,
  type PeoplePorts,
  type Visitor,
} from "./sign-in.ts";
import { claimAddress, tryPassword } from "./sign-in-throttle.ts";
import { makeToken } from "./tokens.ts";

const INVITATION_LIFETIME_MS = 7 * 24 * 3_600_000;
const unknownPerson = makeUnknownError("person");

/** The person and session behind a request, unless they were deleted just now. */
export async function getSelf(
  people: PeopleStore,
  { id, sessionId }: SignedInPerson,
): Promise<{ person: PersonRecord; session: SessionRecord }> {
  const [person, session] = await Promise.all([people.findPerson({ id }), people.findSession(id, sessionId)]);
  if (!person || !session) throw makeEndedError();
  return { person, session };
}

const makeEndedError = () => new Refusal("SESSION_INVALID", "The session was ended; sign in again");

/** Changes one's own name, email or password. A new password ends all sessions and opens one to replace the current. */
export async function changeSelf(
  ports: PeoplePorts & { admission: AddressRules },
  signedIn: SignedInPerson,
  { change, visitor }: { change: MeChange; visitor: Visitor },
): Promise<{ person: PersonRecord; session: SessionRecord; opened?: OpenedSession }> {
  const { people, passwords, admission } = ports;
  const { person, session } = await getSelf(people, signedIn);
  const { name, email, password, currentPassword } = change;
  if (email !== undefined || password !== undefined)
    if (!mayResetPassword(person, session))
      await checkPassword(ports, { person, session, given: currentPassword });
  if (password !== undefined && email === undefined && person.email === null)
    refuseField("REQUEST_INVALID", { path: "email", message: "is needed with the first password" });
  const write = async () =>
    await people.changeSelf(
      { person, sessionId: session.id },
      {
        ...(name === undefined ? {} : { name }),
        ...(email === undefined ? {} : { email }),
        ...(password === undefined ? {} : { passwordHash: await passwords.hash(password, person.id) }),
      },
    );
  const isOtherAddress = email !== undefined && email !== person.email;
  if (isOtherAddress) await checkAddress(admission, email, person.clientId);
  const changed = await (isOtherAddress ? claimAddress(people, person.clientId, write) : write());
  if (changed === "taken") throw makeEmailTakenError();
  if (changed === "ended") throw makeEndedError();
  if (password === undefined) return await getSelf(people, signedIn);
  const latest = await getFound(person.id, (id) => people.findPerson({ id }), unknownPerson);
  const opened = await openSession(people, latest, { method: "password", visitor });
  return { ...opened, opened };
}

/** Each session counts by itself, so that a stolen one can't lock the others. Those of a provider share: there may be any number of them. */
const toCountedSession = (session: SessionRecord, person: PersonRecord) =>
  session.method === "oidc" ? `oidc ${person.id}` : session.id;

async function checkPassword(
  { people, passwords }: PeoplePorts,
  { person, session, given }: { person: PersonRecord; session: SessionRecord; given: string | undefined },
): Promise<void> {
  if (person.passwordHash === null)
    throw new Refusal(
      "SIGN_IN_TOO_OLD",
      "Setting a first password or another email address needs a new sign-in: within ten minutes at the identity provider, or an hour with a link (npm run sign-in)",
    );
  const isRight =
    given !== undefined &&
    (await tryPassword(people, { session: toCountedSession(session, person) }, () =>
      passwords.isRight(given, person.passwordHash, person.id),
    ));
  if (!isRight)
    refuseField(
      "PASSWORD_WRONG",
      { path: "currentPassword", message: given === undefined ? "is missing" : "is wrong" },
      given === undefined
        ? "Give your current password to change email address or password"
        : "The current password is wrong",
    );
}

/** An account's people are managed by its owners, and by administrators from outside. */
export function checkOwner({ person, clientId, role }: Caller): void {
  const isOwner = person && person.clientId === clientId ? person.role === "owner" : role === "admin";
  if (!isOwner)
    throw new Refusal("OWNER_REQUIRED", "Only owners of the account may do that; ask one of them");
}

const refuseLastOwner = (found: PersonRecord | "last-owner"): PersonRecord => {
  if (found === "last-owner")
    throw new Refusal("LAST_OWNER", "The account needs an owner; make somebody else one first");
  return found;
};

export async function changeRole(
  people: PeopleStore,
  caller: Caller,
  { id, role }: { id: string; role: PersonRole },
): Promise<PersonRecord> {
  checkOwner(caller);
  const setRole = (known: string) => people.setRole(caller.clientId, known, role);
  return refuseLastOwner(await getFound(id, setRole, unknownPerson));
}

export async function removePerson(people: PeopleStore, caller: Caller, id: string): Promise<PersonRecord> {
  checkOwner(caller);
  const remove = (known: string) => people.removePerson(caller.clientId, known);
  return refuseLastOwner(await getFound(id, remove, unknownPerson));
}

/** `checkOwner` goes first, since a repeated request does not get here. */
export async function invite(
  { people, admission }: { people: PeopleStore; admission: AddressRules },
  caller: Caller,
  { request, baseUrl }: { request: InvitationRequest; baseUrl: string },
): Promise<NewInvitation> {
  if (request.email !== undefined) {
    await checkAddress(admission, request.email, caller.clientId);
    // Whether people of other accounts have it is not for owners to know.
    const existing = await people.findPerson({ email: request.email });
    if (existing?.clientId === caller.clientId) throw makeEmailTakenError();
  }
  const token = makeToken();
  const invitation = await people.insertInvitation({
    clientId: caller.clientId,
    tokenHash: hashKey(token),
    role: request.role,
    email: request.email ?? null,
    expiresAt: new Date(Date.now() + INVITATION_LIFETIME_MS),
  });
  return { ...toInvitation(invitation), url: `${baseUrl}/app/invitation#${token}` };
}
