import { chmod, chown, mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PostgresHome } from "./open-home.ts";
import { socketPort } from "./server-settings.ts";

const socketName = `.s.PGSQL.${socketPort}`;

// sockaddr_un.sun_path has 108 bytes including the terminating zero.
const maxSocketPathBytes = 107;

type SocketDir = {
  dir: string;
  /** Removes the socket of a killed server. */
  clear(): Promise<void>;
  remove(): Promise<void>;
};

/**
 * A folder with mode 0700 for PostgreSQL alone: `run` in the home or, if that path is too long for a socket or has characters that a list of folders can't
 * hold, a randomly named one in /tmp. The latter is recorded in the home, so that the next start finds the one a killed service left.
 */
export async function makeSocketDir(home: PostgresHome): Promise<SocketDir> {
  const notePath = join(home.dir, "short-socket-dir");
  await removeNotedDir(notePath);
  const ownDir = join(home.dir, "run");
  if (canHoldSocket(ownDir)) {
    await mkdir(ownDir, { recursive: true });
    await takeForServer(ownDir);
    await removeSocket(ownDir);
    const clear = () => removeSocket(ownDir);
    return { dir: ownDir, clear, remove: clear };
  }
  const shortDir = await mkdtemp("/tmp/stemwright-postgres-");
  await writeFile(notePath, shortDir);
  await takeForServer(shortDir);
  return { dir: shortDir, clear: () => removeSocket(shortDir), remove: () => removeNotedDir(notePath) };

  async function takeForServer(dir: string): Promise<void> {
    await chmod(dir, 0o700);
    const { serverIds } = home.account;
    if (serverIds !== undefined) await chown(dir, serverIds.uid, serverIds.gid);
  }
}

export function canHoldSocket(dir: string): boolean {
  return Buffer.byteLength(join(dir, socketName)) <= maxSocketPathBytes && /^[\w./-]+$/.test(dir);
}

async function removeNotedDir(notePath: string): Promise<void> {
  const dir = (await readFile(notePath, "utf8").catch(() => "")).trim();
  if (dir === "") return;
  await removeSocket(dir);
  // Already gone, or by now somebody else's with files in it: ignore both.
  await rmdir(dir).catch(() => {});
  await rm(notePath, { force: true });
}

async function removeSocket(dir: string): Promise<void> {
  for (const name of [socketName, `${socketName}.lock`]) await rm(join(dir, name), { force: true });
}
