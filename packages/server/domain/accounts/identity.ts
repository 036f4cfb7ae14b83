import { Refusal } from "../refusal.ts";
import { getInvitationFor, makeInvitationError } from "./accept-invitation.ts";
import { type AddressRules, checkAddress, findReservingClientId } from "./address-rules.ts";
import { hashKey } from "./key-secrets.ts";
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

type IdentityPorts = { people: PeopleStore; admission: AddressRules };

/** What the browser had beside the identity: a session, or an invitation that the person has confirmed. */
export type IdentityContext = { signedInId?: string | undefined; invitationToken?: string | undefined };

/** Whoever first entered an address here need not own its mailbox, and must not receive the owner as a guest. */
export class IdentityNotConnected extends Refusal {
  constructor() {
    super(
      "PERSON_REQUIRED",
      "Somebody here signs in with this email address and a password; connect the identity provider under Profile first",
    );
  }
}

/** A person belongs to one account. */
export class IdentityKnown extends Refusal {
  constructor() {
    super("PERSON_REQUIRED", "This person belongs to an account already, and can't accept an invitation");
  }
}

const makeRefusal = (message: string) => new Refusal("PERSON_REQUIRED", message);

type Admission = { email: string; name: string; identity: string };

/**
 * The person behind an identity: known from before, connecting while signed in, with the link of an invitation, or from a domain that may join. Nobody else is
 * admitted, and an unverified address matches nobody.
 */
export async function findOrAdmitPerson(
  ports: IdentityPorts,
  { key, name, email, isEmailVerified }: Identity,
  { signedInId, invitationToken }: IdentityContext,
): Promise<PersonRecord> {
  const { people, admission } = ports;
  const known = await people.findPerson({ identity: key });
  if (known && invitationToken !== undefined) throw new IdentityKnown();
  if (known) return known;
  if (!isEmailVerified || email === undefined)
    throw makeRefusal("The identity provider does not vouch for an email address of this person");
  const existing = await people.findPerson({ email });
  const newcomer = { email, name: name ?? email, identity: key };
  if (invitationToken !== undefined) return await join(ports, invitationToken, newcomer, existing);
  if (existing && existing.id === signedInId) {
    await checkAddress(admission, email, existing.clientId);
    if (await people.bindIdentity(existing.id, key)) return existing;
    throw makeRefusal("The email address belongs to a person with another identity at the provider");
  }
  const clientId = await findReservingClientId(admission, email);
  if (existing && (clientId === undefined || existing.clientId === clientId))
    throw new IdentityNotConnected();
  if (clientId === undefined)
    throw makeRefusal("Nobody has invited this person; ask an owner of the account for a link");
  return await insertNewcomer(people, newcomer, (person) =>
    people.insertPerson({ ...person, clientId, role: "member" }),
  );
}

async function join(
  ports: IdentityPorts,
  token: string,
  newcomer: Admission,
  existing: PersonRecord | undefined,
): Promise<PersonRecord> {
  const { clientId } = await getInvitationFor(ports, token, newcomer.email);
  if (existing?.clientId === clientId) throw new IdentityNotConnected();
  return await insertNewcomer(ports.people, newcomer, async (person) => {
    const accepted = await ports.people.acceptInvitation(hashKey(token), person);
    if (accepted === "unknown") throw makeInvitationError();
    return accepted === "taken" ? undefined : accepted;
  });
}

/** Somebody in another account who has typed in the address keeps it, and keeps nobody out: the identity is what signs the newcomer in. */
async function insertNewcomer(
  people: PeopleStore,
  newcomer: Admission,
  insert: (person: Omit<Admission, "email"> & { email: string | null }) => Promise<PersonRecord | undefined>,
): Promise<PersonRecord> {
  const person =
    (await insert(newcomer)) ??
    // Admitted by a concurrent request.
    (await people.findPerson({ identity: newcomer.identity })) ??
    (await insert({ ...newcomer, email: null }));
  if (!person) throw makeRefusal("The person was admitted by another request just now; sign in again");
  return person;
}
