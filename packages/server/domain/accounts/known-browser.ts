import { createHash } from "node:crypto";
import { makeId } from "../ids.ts";
import type { Vault } from "../vault.ts";
import type { PersonRecord } from "./person-record.ts";

const CONTEXT = "known browser";

type Known = { id: string; personId: string; password: string };
type Holder = Pick<PersonRecord, "id" | "passwordHash">;

/** A new password makes all browsers unknown, also those of somebody who knew the old one. */
const fingerprintOf = ({ passwordHash }: Holder) =>
  createHash("sha256")
    .update(passwordHash ?? "")
    .digest("base64url");

/** What a browser keeps to show that this person signed in there; the vault's key signs it. */
export async function makeBrowserToken(vault: Vault, person: Holder): Promise<string> {
  const known: Known = { id: makeId(), personId: person.id, password: fingerprintOf(person) };
  return (await vault.seal(JSON.stringify(known), CONTEXT)).toString("base64url");
}

/** Undefined for a browser that this person has not signed in with, or not since the password was changed. */
export async function findBrowserId(
  vault: Vault,
  person: Holder,
  token: string | undefined,
): Promise<string | undefined> {
  if (token === undefined || person.passwordHash === null) return undefined;
  try {
    const known = JSON.parse(await vault.unseal(Buffer.from(token, "base64url"), CONTEXT)) as Known;
    const isTheirs = known.personId === person.id && known.password === fingerprintOf(person);
    return isTheirs ? known.id : undefined;
  } catch {
    return undefined;
  }
}
