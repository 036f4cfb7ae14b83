import { Refusal } from "../refusal.ts";
import type { PeopleStore } from "./people-store.ts";
import type { PersonRecord } from "./person-record.ts";

/** Somebody as the identity provider knows them. */
export type Identity = {
  /** Issuer and subject: what stays when name and email address change. */
  key: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
};

/** What a browser keeps between leaving for the provider and coming back. */
export type IdentityFlow = { state: string; nonce: string; codeVerifier: string };

/** Where people sign in with an account that they have elsewhere. */
export interface IdentityProvider {
  /** For the button. */
  name: string;
  /** Where to send the browser, and what it needs to come back. */
  start(redirectUrl: string): Promise<{ url: string; flow: IdentityFlow }>;
  /** Who came back. Fails for whatever is not the answer to that start. */
  finish(currentUrl: URL, flow: IdentityFlow): Promise<Identity>;
}

type IdentityPorts = {
  people: PeopleStore;
  /** The domains whose people join the first account without an invitation. */
  domains: readonly string[];
  findFirstClientId(): Promise<string | undefined>;
};

/** Whoever typed an address in here first is not its mailbox's owner, and must not receive them as a guest. */
export class IdentityNotConnected extends Refusal {
  constructor() {
    super(
      "PERSON_REQUIRED",
      "Somebody here signs in with this email address and a password; connect the identity provider under Profile first",
    );
  }
}

const makeRefusal = (message: string) => new Refusal("PERSON_REQUIRED", message);

/**
 * The person behind an identity: known from before, or by a verified email address whoever is signed in with it already,
 * somebody invited, or somebody of a domain that may join. Nobody else comes in, and an unverified address is nobody's.
 */
export async function findOrAdmitPerson(
  ports: IdentityPorts,
  identity: Identity,
  signedInId: string | undefined,
): Promise<PersonRecord> {
  const { people } = ports;
  const known = await people.findPerson({ identity: identity.key });
  if (known) return known;
  const { email = "", isEmailVerified, key } = identity;
  if (!isEmailVerified || email === "")
    throw makeRefusal("The identity provider does not vouch for an email address of this person");
  const existing = await people.findPerson({ email });
  if (existing) {
    if (existing.id !== signedInId) throw new IdentityNotConnected();
    if (await people.bindIdentity(existing.id, key)) return existing;
    throw makeRefusal("The email address belongs to a person with another identity at the provider");
  }
  return await admit(ports, { ...identity, email });
}

async function admit(
  { people, domains, findFirstClientId }: IdentityPorts,
  identity: Identity & { email: string },
): Promise<PersonRecord> {
  const { email, key } = identity;
  const person = { email, name: identity.name ?? email, identity: key };
  const invited = await people.acceptInvitation({ email }, person);
  if (invited !== "unknown" && invited !== "taken") return invited;
  const clientId = domains.includes(email.split("@").at(-1) ?? "") ? await findFirstClientId() : undefined;
  const joined =
    clientId === undefined ? undefined : await people.insertPerson({ ...person, clientId, role: "member" });
  // Whoever came in by another request a moment ago is there now.
  const admitted = joined ?? (await people.findPerson({ identity: key }));
  if (!admitted) throw makeRefusal("Nobody has invited this person; ask an owner of the account");
  return admitted;
}
