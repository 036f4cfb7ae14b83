import { Refusal } from "../refusal.ts";
import type { PeopleStore } from "./people-store.ts";
import type { PersonRecord } from "./person-record.ts";

/** A person as known to the identity provider. */
export type Identity = {
  /** Issuer and subject, which stay the same when name and email address change. */
  key: string;
  email: string | undefined;
  isEmailVerified: boolean;
  name: string | undefined;
};

/** State the browser keeps between leaving for the provider and returning. */
export type IdentityFlow = { state: string; nonce: string; codeVerifier: string };

/** Sign-in with an account at another service. */
export interface IdentityProvider {
  /** Shown on the button. */
  name: string;
  /** The URL to redirect to, and the state needed on return. */
  start(redirectUrl: string): Promise<{ url: string; flow: IdentityFlow }>;
  /** The identity of whoever returned. Fails unless the response belongs to that start. */
  finish(currentUrl: URL, flow: IdentityFlow): Promise<Identity>;
}

type IdentityPorts = {
  people: PeopleStore;
  /** People with these email domains join the first account without an invitation. */
  domains: readonly string[];
  findFirstClientId(): Promise<string | undefined>;
};

/** Whoever first entered an address here need not own its mailbox, and must not receive the owner as a guest. */
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
 * The person behind an identity: known from before, found by a verified email address, invited, or from a domain that may join. Nobody else is admitted, and
 * an unverified address matches nobody.
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
  // Somebody admitted by a concurrent request exists now.
  const admitted = joined ?? (await people.findPerson({ identity: key }));
  if (!admitted) throw makeRefusal("Nobody has invited this person; ask an owner of the account");
  return admitted;
}
