import { parseArgs } from "node:util";
import { findFirstClientId } from "../db/accounts/client-rows.ts";
import { makePeopleStore } from "../db/accounts/make-people-store.ts";
import { findFirstOwner, findPerson, insertPerson } from "../db/accounts/person-rows.ts";
import type { Database, DatabaseHandle } from "../db/database.ts";
import type { PersonRecord } from "../domain/accounts/person-record.ts";
import { makeSignInLink } from "../domain/accounts/sign-in.ts";
import { StartError } from "../faults/start-error.ts";

const USAGE = `usage:
  npm run sign-in                        a link for the first account's owner
  npm run sign-in -- --email ADDRESS     a link for that person`;

type SignInCommand = (db: Database, print: (line: string) => void) => Promise<void>;

/** The first account's owner; created if the account is older than people. */
export async function getFirstOwner(db: DatabaseHandle, clientId: string): Promise<PersonRecord> {
  const owner =
    (await findFirstOwner(db, clientId)) ??
    (await insertPerson(db, { clientId, role: "owner", email: null, name: "Owner" }));
  if (!owner) throw new Error("the owner disappeared right after it was created");
  return owner;
}

/** For the operator on the machine: a sign-in link for anybody, valid once, for an hour. */
export function parseSignInCommand(args: string[], baseUrl: string): SignInCommand {
  const email = parseEmail(args);
  return async (db, print) => {
    const person = email === undefined ? await findOwner(db) : await findPerson(db, { email });
    if (!person) throw new StartError(`Nobody has the email address "${email}"`);
    print("Sign in with this link, once, within an hour:");
    print(`  ${await makeSignInLink(makePeopleStore(db), person.id, baseUrl)}`);
  };
}

async function findOwner(db: Database): Promise<PersonRecord> {
  const clientId = await findFirstClientId(db);
  if (clientId === undefined) throw new StartError("There is no account yet: run npm start once");
  return await getFirstOwner(db, clientId);
}

function parseEmail(args: string[]): string | undefined {
  try {
    const { values } = parseArgs({ args, options: { email: { type: "string" } } });
    return values.email?.trim().toLowerCase();
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${USAGE}`);
  }
}
