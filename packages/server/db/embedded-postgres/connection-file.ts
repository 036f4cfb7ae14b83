import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";

/** Where a running server is reached: for commands given at the machine beside the service. As secret as the password in it. */
const connectionFilePath = (dataDir: string) => join(resolve(dataDir), "postgres", "connection");

export async function writeConnectionFile(dataDir: string, connectionString: string): Promise<void> {
  await writeFile(connectionFilePath(dataDir), connectionString, { mode: 0o600 });
}

export async function removeConnectionFile(dataDir: string): Promise<void> {
  await rm(connectionFilePath(dataDir), { force: true });
}

/** What a killed service left is here too: it tells where to try, not that somebody answers. */
export async function readConnectionFile(dataDir: string): Promise<string | undefined> {
  return await readFile(connectionFilePath(dataDir), "utf8").catch(() => undefined);
}
