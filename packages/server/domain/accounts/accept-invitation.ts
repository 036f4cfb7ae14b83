import type { InvitationAcceptance } from "@stemwright/contract";
import { Refusal } from "../refusal.ts";
import { type AddressRules, checkAddress } from "./address-rules.ts";
import { hashKey } from "./key-secrets.ts";
import type { PeopleStore } from "./people-store.ts";
import type { ReceivedInvitationRecord } from "./person-record.ts";
import {
  makeEmailTakenError,
  type OpenedSession,
  openSession,
  type PeoplePorts,
  type Visitor,
} from "./sign-in.ts";
import { claimAddress } from "./sign-in-throttle.ts";

type InvitationPorts = PeoplePorts & { admission: AddressRules };

export const makeInvitationError = () =>
  new Refusal(
    "INVITATION_INVALID",
    "This invitation was accepted or withdrawn, has expired, or is for another email address; ask for a new one",
  );

/** What the link invites to; only the link leads there, an email address alone never does. */
export async function getReceivedInvitation(
  people: PeopleStore,
  token: string,
): Promise<ReceivedInvitationRecord> {
  const invitation = await people.findInvitation(hashKey(token));
  if (!invitation) throw makeInvitationError();
  return invitation;
}

/** The invitation behind the link, if a person with that address may accept it. */
export async function getInvitationFor(
  { people, admission }: Pick<InvitationPorts, "people" | "admission">,
  token: string,
  email: string,
): Promise<ReceivedInvitationRecord> {
  const invitation = await getReceivedInvitation(people, token);
  if (invitation.email !== null && invitation.email !== email) throw makeInvitationError();
  await checkAddress(admission, email, invitation.clientId);
  return invitation;
}

/** Nobody without an invitation can cause hashing work. */
export async function acceptInvitation(
  ports: InvitationPorts,
  { token, email, name, password }: InvitationAcceptance,
  visitor: Visitor,
): Promise<OpenedSession> {
  const { people, passwords } = ports;
  const { clientId } = await getInvitationFor(ports, token, email);
  const accepted = await claimAddress(people, clientId, async () => {
    const passwordHash = await passwords.hash(password, visitor.address);
    return await people.acceptInvitation(hashKey(token), { email, name, passwordHash });
  });
  if (accepted === "taken") throw makeEmailTakenError();
  if (accepted === "unknown") throw makeInvitationError();
  return await openSession(people, accepted, { method: "invitation", visitor });
}
