import { domainToASCII } from "node:url";
import { Refusal } from "../refusal.ts";

/** Which email addresses belong to which account. */
export type AddressRules = {
  /** People with addresses of these domains are the first account's: they join it by signing in with the provider, and no other account can take their addresses. */
  domains: readonly string[];
  findFirstClientId(): Promise<string | undefined>;
};

/** The account that an address is reserved for. Domains are compared as name servers would, so no other spelling of one is free. */
export async function findReservingClientId(
  { domains, findFirstClientId }: AddressRules,
  email: string,
): Promise<string | undefined> {
  const domain = domainToASCII(email.split("@").at(-1) ?? "");
  const isReserved = domain !== "" && domains.some((reserved) => domainToASCII(reserved) === domain);
  return isReserved ? await findFirstClientId() : undefined;
}

/** Refuses an address that is another account's. */
export async function checkAddress(rules: AddressRules, email: string, clientId: string): Promise<void> {
  const reservingId = await findReservingClientId(rules, email);
  if (reservingId === undefined || reservingId === clientId) return;
  throw new Refusal(
    "EMAIL_RESERVED",
    `Addresses of ${email.split("@").at(-1)} belong to another account of this service; use another address, or sign in with the provider`,
    [{ path: "email", message: "belongs to another account" }],
  );
}
