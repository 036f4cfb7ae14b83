import { parseArgs } from "node:util";
import { findFirstClientId } from "./db/clients.ts";
import type { Database } from "./db/database.ts";
import { insertKey, listKeys, revokeKey } from "./db/keys.ts";
import { makeKey } from "./domain/keys.ts";

const USAGE = `usage:
  npm run keys -- list
  npm run keys -- create --name NAME [--admin | --legacy]
  npm run keys -- revoke ID`;

/** For the operator at the machine: a lost key is replaced here. */
export async function runKeysCommand(
  db: Database,
  args: string[],
  print: (line: string) => void,
): Promise<void> {
  const { positionals, values } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      name: { type: "string", default: "Made at the command line" },
      admin: { type: "boolean", default: false },
      // A token of the Jobs interface.
      legacy: { type: "boolean", default: false },
    },
  });
  const [action, id] = positionals;
  if (action === "list") {
    for (const key of await listKeys(db)) {
      const state = key.revoked_at ? "revoked" : "active";
      const lastUsed = key.last_used_at ? `used ${key.last_used_at.toISOString()}` : "never used";
      print(
        `${key.id}  ${(key.kind === "legacy" ? key.kind : key.role).padEnd(6)}  ${state.padEnd(7)}  ${key.created_at.toISOString()}  ${lastUsed.padEnd(29)}  ${key.name}`,
      );
    }
  } else if (action === "create") {
    const clientId = await findFirstClientId(db);
    if (clientId === undefined) throw new Error("there is no account yet: run npm start once");
    const secret = makeKey();
    const kind = values.legacy ? "legacy" : "key";
    const role = values.admin && !values.legacy ? "admin" : "client";
    await insertKey(db, { clientId, name: values.name, role, kind, secret });
    print(secret);
  } else if (action === "revoke" && id !== undefined) {
    print((await revokeKey(db, id)) ? "revoked" : "no active key has that id");
  } else print(USAGE);
}
