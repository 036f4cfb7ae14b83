import type { SignInMethod, SignInRequest } from "@stemwright/contract";
import { Refusal } from "../refusal.ts";
import type { Vault } from "../vault.ts";
import { hashKey } from "./key-secrets.ts";
import { findBrowserId } from "./known-browser.ts";
import type { Passwords } from "./passwords.ts";
import type { PeopleStore } from "./people-store.ts";
import type { PersonRecord, SessionRecord } from "./person-record.ts";
import { tryPassword } from "./sign-in-throttle.ts";
import { makeToken } from "./tokens.ts";

const LINK_LIFETIME_MS = 3_600_000;
const MAX_AGENT_CHARACTERS = 300;

export type PeoplePorts = { people: PeopleStore; passwords: Passwords };
/** Where a request comes from, as shown in the list of sessions. */
export type Visitor = { address: string; agent: string };
/** What the browser brings from when that person signed in there before. */
type FindBrowserToken = (personId: string) => string | undefined;
/** A new session; the token goes into the cookie and is stored nowhere. */
export type OpenedSession = { token: string; person: PersonRecord; session: SessionRecord };

/** Always a new token, so that an old one in the browser becomes worthless. Refused if the person's password has changed since it was read. */
export async function openSession(
  people: PeopleStore,
  person: PersonRecord,
  { method, visitor, linkHash }: { method: SignInMethod; visitor: Visitor; linkHash?: Buffer },
): Promise<OpenedSession> {
  if (person.isClientSuspended)
    throw new Refusal("CLIENT_SUSPENDED", "The account is suspended; ask the operator");
  const token = makeToken();
  const session = await people.insertSession({
    person,
    ...(linkHash === undefined ? {} : { linkHash }),
    tokenHash: hashKey(token),
    method,
    address: visitor.address,
    agent: visitor.agent.slice(0, MAX_AGENT_CHARACTERS),
  });
  if (session) return { token, person, session };
  if (linkHash !== undefined) throw makeLinkError();
  throw new Refusal("SIGN_IN_FAILED", "Email address or password was changed just now; sign in again");
}

export async function signInWithPassword(
  { people, passwords, vault }: PeoplePorts & { vault: Vault },
  { email, password }: SignInRequest,
  { visitor, findBrowserToken }: { visitor: Visitor; findBrowserToken: FindBrowserToken },
): Promise<OpenedSession> {
  const person = await people.findPerson({ email });
  const browserId = person && (await findBrowserId(vault, person, findBrowserToken(person.id)));
  const guesser = browserId === undefined ? { address: visitor.address, account: email } : { browserId };
  const isRight = await tryPassword(people, guesser, () =>
    passwords.isRight(password, person?.passwordHash, visitor.address),
  );
  if (!isRight || !person) throw new Refusal("SIGN_IN_FAILED", "Email address or password is wrong");
  return await openSession(people, person, { method: "password", visitor });
}

/** A link that signs a person in once, within an hour. */
export async function makeSignInLink(
  people: Pick<PeopleStore, "insertSignInLink">,
  personId: string,
  baseUrl: string,
): Promise<string> {
  const token = makeToken();
  const expiresAt = new Date(Date.now() + LINK_LIFETIME_MS);
  await people.insertSignInLink({ personId, tokenHash: hashKey(token), expiresAt });
  // After the #, it appears in no log and no Referer.
  return `${baseUrl}/app/sign-in#${token}`;
}

export async function signInWithLink(
  people: PeopleStore,
  token: string,
  visitor: Visitor,
): Promise<OpenedSession> {
  const linkHash = hashKey(token);
  const personId = await people.findSignInLink(linkHash);
  const person = personId === undefined ? undefined : await people.findPerson({ id: personId });
  if (!person) throw makeLinkError();
  return await openSession(people, person, { method: "link", visitor, linkHash });
}

const makeLinkError = () =>
  new Refusal(
    "SIGN_IN_LINK_INVALID",
    "This link was used before, or its hour is over; print another with npm run sign-in",
  );

export const makeEmailTakenError = () =>
  new Refusal(
    "EMAIL_TAKEN",
    "Another person has that email address; sign in as that person, or use another",
    [{ path: "email", message: "is taken" }],
  );
