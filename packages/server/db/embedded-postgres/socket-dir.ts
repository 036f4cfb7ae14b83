import { chmod, chown, mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PostgresHome } from "./open-home.ts";
import { socketPort } from "./server-settings.ts";

const socketName = `.s.PGSQL.${socketPort}`;

// sockaddr_un.sun_path has 108 bytes with the closing zero.
const maxSocketPathBytes = 107;

type SocketDir = {
  dir: string;
  /** Removes the socket that a server left which was killed. */
  clear(): Promise<void>;
  remove(): Promise<void>;
};

/**
 * A folder of mode 0700 that is PostgreSQL's own: `run` in the home or, where that path is too long for a socket or
 * has characters a list of folders cannot hold, one with a random name below /tmp. The latter is noted in the home,
 * so that the next start finds the one a killed service left.
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
  // Gone already, or by now somebody else's with files in it: neither is ours to care for.
  await rmdir(dir).catch(() => {});
  await rm(notePath, { force: true });
}

async function removeSocket(dir: string): Promise<void> {
  for (const name of [socketName, `${socketName}.lock`]) await rm(join(dir, name), { force: true });
}
