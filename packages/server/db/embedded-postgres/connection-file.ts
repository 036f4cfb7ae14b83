import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** How to connect to a running server, for commands on the same machine. As secret as the password in it. */
const connectionFilePath = (dataDir: string) => join(resolve(dataDir), "postgres", "connection");

export async function writeConnectionFile(dataDir: string, connectionString: string): Promise<void> {
  await writeFile(connectionFilePath(dataDir), connectionString, { mode: 0o600 });
}

export async function removeConnectionFile(dataDir: string): Promise<void> {
  await rm(connectionFilePath(dataDir), { force: true });
}

/** A killed service leaves its file too: it says where to connect, not that anything answers there. */
export async function readConnectionFile(dataDir: string): Promise<string | undefined> {
  return await readFile(connectionFilePath(dataDir), "utf8").catch(() => undefined);
}
