import { parseArgs } from "node:util";
import { findFirstClientId } from "../db/accounts/client-rows.ts";
import { insertKey, listKeys, revokeKey } from "../db/accounts/key-rows.ts";
import type { Database } from "../db/database.ts";
import { makeKey } from "../domain/accounts/key-secrets.ts";
import { StartError } from "../faults/start-error.ts";

const USAGE = `usage:
  npm run keys -- list
  npm run keys -- create --name NAME [--admin | --legacy]
  npm run keys -- revoke ID`;

type KeysCommand = (db: Database, print: (line: string) => void) => Promise<void>;

function parseFlags(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: "string", default: "Made at the command line" },
        admin: { type: "boolean", default: false },
        // For the Jobs interface.
        legacy: { type: "boolean", default: false },
      },
    });
  } catch (error) {
    throw new StartError(`${(error as Error).message}\n${USAGE}`);
  }
}

/** For the operator on the machine: replaces lost keys. Invalid arguments are rejected before anything starts. */
export function parseKeysCommand(args: string[]): KeysCommand {
  const { positionals, values } = parseFlags(args);
  const [action, id] = positionals;
  if (values.admin && values.legacy)
    throw new StartError(`--admin and --legacy exclude each other: a token has no role\n${USAGE}`);
  if (action === "list") return printKeys;
  if (action === "create") return (db, print) => createKey(db, { ...values, print });
  if (action === "revoke" && id !== undefined)
    return async (db, print) => {
      if (!(await revokeKey(db, id))) throw new StartError(`No active key has the id "${id}"`);
      print("revoked");
    };
  throw new StartError(USAGE);
}

const printKeys: KeysCommand = async (db, print) => {
  for (const key of await listKeys(db)) {
    const state = key.revoked_at ? "revoked" : "active";
    const lastUsed = key.last_used_at ? `used ${key.last_used_at.toISOString()}` : "never used";
    print(
      `${key.id}  ${(key.kind === "legacy" ? key.kind : key.role).padEnd(6)}  ${state.padEnd(7)}  ${key.created_at.toISOString()}  ${lastUsed.padEnd(29)}  ${key.name}`,
    );
  }
};

async function createKey(
  db: Database,
  options: { name: string; admin: boolean; legacy: boolean; print: (line: string) => void },
): Promise<void> {
  const clientId = await findFirstClientId(db);
  if (clientId === undefined) throw new StartError("There is no account yet: run npm start once");
  const secret = makeKey();
  const kind = options.legacy ? "legacy" : "key";
  const role = options.admin ? "admin" : "client";
  await insertKey(db, { clientId, name: options.name, role, kind, secret });
  options.print(secret);
}
