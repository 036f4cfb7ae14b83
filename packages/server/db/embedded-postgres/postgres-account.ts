import { readFile } from "node:fs/promises";
import { userInfo } from "node:os";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";

/**
 * PostgreSQL refuses to run as root. Started by root, it gets a separate uid without an entry in /etc/passwd that no other program uses. `nobody` and
 * `postgres` were rejected: anything else running as one of them could read the database and signal the server.
 */
export type PostgresAccount = {
  /** Undefined: PostgreSQL runs as the user who starts the service. */
  serverIds: { uid: number; gid: number } | undefined;
};

// Below systemd's range of dynamic users, above all ranges of login and system users, and below 65536, where the
// uids of a rootless container end (https://systemd.io/UIDS-GIDS).
const firstReservedId = 60_900;
const lastReservedId = 61_183;

export function isReservedId(id: number): boolean {
  return id >= firstReservedId && id <= lastReservedId;
}

export async function getFreeServerIds(): Promise<{ uid: number; gid: number }> {
  const takenIds = new Set([
    ...parseAccountIds(await readAccountFile("/etc/passwd")).map((account) => account.id),
    ...parseAccountIds(await readAccountFile("/etc/group")).map((account) => account.id),
  ]);
  for (let id = firstReservedId; id <= lastReservedId; id++) {
    if (!takenIds.has(id)) return { uid: id, gid: id };
  }
  throw new EmbeddedPostgresError(
    "setup_failed",
    `All user ids from ${firstReservedId} to ${lastReservedId} are taken, and PostgreSQL cannot run as root: start the service as an ordinary user, or set DATABASE_URL to a PostgreSQL server.`,
  );
}

/**
 * The ids initdb runs under. It looks its user up by name and fails without one, so as root it borrows the uid of `nobody` together with the server's own
 * gid: the gid gives it access to the server's folders and protects it from ptrace by other processes of `nobody`. The finished files are handed over to
 * the server's uid.
 */
export async function getSetupIds(
  account: PostgresAccount,
): Promise<{ uid: number; gid: number } | undefined> {
  if (account.serverIds === undefined) {
    requireOwnName();
    return undefined;
  }
  const named = parseAccountIds(await readAccountFile("/etc/passwd")).filter((entry) => entry.id !== 0);
  const lender = named.find((entry) => entry.name === "nobody") ?? named[0];
  if (lender === undefined) {
    throw new EmbeddedPostgresError(
      "setup_failed",
      "initdb needs a user other than root, and /etc/passwd has none: add the user nobody, or set DATABASE_URL to a PostgreSQL server.",
    );
  }
  return { uid: lender.id, gid: account.serverIds.gid };
}

export function parseAccountIds(accountFile: string): { name: string; id: number }[] {
  return accountFile.split("\n").flatMap((line) => {
    const [name, , id] = line.split(":");
    if (!name || !id || !/^\d+$/.test(id)) return [];
    return [{ name, id: Number(id) }];
  });
}

function requireOwnName(): void {
  try {
    userInfo();
  } catch (error) {
    throw new EmbeddedPostgresError(
      "setup_failed",
      `User id ${process.getuid?.()} has no name on this machine, and initdb needs one: start the service as a user listed in /etc/passwd, or set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
}

async function readAccountFile(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch {
    // A container may lack these files: then no account is listed.
    return "";
  }
}
