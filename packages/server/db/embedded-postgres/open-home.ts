import { randomBytes } from "node:crypto";
import { chmod, chown, lstat, mkdir, readFile, realpath, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { EmbeddedPostgresError } from "./embedded-postgres-error.ts";
import { type FolderLock, lockFolder } from "./folder-lock.ts";
import { getFreeServerIds, isReservedId, type PostgresAccount } from "./postgres-account.ts";

/**
 * The folder of one embedded PostgreSQL, locked for this process:
 *
 *     binaries-<version>/   runnable copy of the bundle
 *     cluster/data/         the cluster itself (PGDATA)
 *     cluster/password      of the role stemwright
 *     run/                  the socket
 *     postgres.log          and postgres.log.1
 *     lock, lock-holder     which process uses the folder
 *     moved-to              instead of all but the lock: the path of the real home
 */
export type PostgresHome = { dir: string; account: PostgresAccount; release(): void };

/** For homes that would be inside a folder PostgreSQL's user cannot enter. */
const relocatedHomesDir = "/var/lib/stemwright-postgres";

export async function openHome(dataDir: string): Promise<PostgresHome> {
  const isRoot = process.getuid?.() === 0;
  await makeFolders(resolve(dataDir), isRoot ? 0o711 : 0o700);
  const nominalDir = join(await realpath(dataDir), "postgres");
  requirePlainPath(nominalDir);
  await makeFolders(nominalDir, 0o700);
  await requireOwnFolder(nominalDir);
  const locks: FolderLock[] = [lockFolder(nominalDir)];
  const release = () => {
    for (const lock of locks) lock.release();
  };
  try {
    if (!isRoot) return { dir: nominalDir, account: { serverIds: undefined }, release };
    const dir = await findRealHome(nominalDir);
    if (dir !== nominalDir) {
      await requireOwnFolder(dir);
      // A copied data folder points to the original's home: the two must not use it at the same time.
      locks.push(lockFolder(dir));
    }
    const serverIds = await getServerIds(dir);
    await openToServer(dir, serverIds);
    return { dir, account: { serverIds }, release };
  } catch (error) {
    release();
    throw error;
  }
}

async function findRealHome(nominalDir: string): Promise<string> {
  const pointerPath = join(nominalDir, "moved-to");
  if (await exists(pointerPath)) {
    const dir = (await readFile(pointerPath, "utf8")).trim();
    if (await exists(dir)) return dir;
    throw new EmbeddedPostgresError(
      "data_dir_unusable",
      `The database of this service was kept in ${dir}, which is gone: bring that folder back, or remove ${pointerPath} to begin with an empty database.`,
    );
  }
  const closedFolder = await findClosedFolder(dirname(nominalDir));
  if (closedFolder === undefined) return nominalDir;
  if (await exists(join(nominalDir, "cluster"))) {
    throw new EmbeddedPostgresError(
      "data_dir_unusable",
      `PostgreSQL cannot run as root, and its own user can no longer enter ${closedFolder}: run chmod o+x ${closedFolder}, or move the data folder to where every folder above it can be entered.`,
    );
  }
  const dir = join(relocatedHomesDir, randomBytes(8).toString("hex"));
  await makeFolders(relocatedHomesDir, 0o711);
  const stillClosedFolder = await findClosedFolder(relocatedHomesDir);
  if (stillClosedFolder !== undefined) {
    throw new EmbeddedPostgresError(
      "data_dir_unusable",
      `PostgreSQL cannot run as root, and its own user can enter neither ${closedFolder} nor ${stillClosedFolder}: set DATA_DIR to a folder every folder above which can be entered by all, or set DATABASE_URL to a PostgreSQL server.`,
    );
  }
  await makeFolders(dir, 0o700);
  await writeFile(pointerPath, `${dir}\n`, { flush: true });
  return dir;
}

/** The first folder on the path to `dir` that a user without any group cannot enter. */
async function findClosedFolder(dir: string): Promise<string | undefined> {
  const parentDir = dirname(dir);
  const closedParent = parentDir === dir ? undefined : await findClosedFolder(parentDir);
  if (closedParent !== undefined) return closedParent;
  return ((await stat(dir)).mode & 0o001) === 0 ? dir : undefined;
}

/** By group: the folder stays root's, so that the server cannot change its own binaries. */
async function openToServer(dir: string, serverIds: { uid: number; gid: number }): Promise<void> {
  try {
    await chown(dir, 0, serverIds.gid);
  } catch (error) {
    throw new EmbeddedPostgresError(
      "data_dir_unusable",
      `PostgreSQL cannot run as root, and this container or the disk of ${dir} does not let root give files to another user: start the service as an ordinary user, or set DATABASE_URL to a PostgreSQL server.`,
      { cause: error },
    );
  }
  await chmod(dir, 0o710);
}

/** A cluster keeps the ids it was created with, whatever is free now. */
async function getServerIds(homeDir: string): Promise<{ uid: number; gid: number }> {
  const clusterDir = join(homeDir, "cluster", "data");
  if (!(await exists(clusterDir))) return getFreeServerIds();
  const { uid, gid } = await stat(clusterDir);
  if (!isReservedId(uid)) throw makeForeignFolderError(clusterDir, uid);
  return { uid, gid };
}

/** Root must not follow or take over what another user created, and another user cannot use what root created. */
async function requireOwnFolder(dir: string): Promise<void> {
  const folder = await lstat(dir);
  if (folder.isDirectory() && folder.uid === process.getuid?.()) return;
  throw makeForeignFolderError(dir, folder.uid);
}

function makeForeignFolderError(dir: string, uid: number): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    "data_dir_of_another_user",
    `${dir} belongs to user id ${uid}, but the service was started by user id ${process.getuid?.()}: start it as the user who set it up, or set DATA_DIR to another folder.`,
  );
}

/** initdb passes paths to a shell in double quotes. */
function requirePlainPath(dir: string): void {
  if (!/["$`\\\n]/.test(dir)) return;
  throw new EmbeddedPostgresError(
    "data_dir_unusable",
    `PostgreSQL cannot be set up in ${JSON.stringify(dir)}: set DATA_DIR to a path without quotes, dollar signs, backslashes and line breaks.`,
  );
}

/** Sets the mode of each folder it creates, whatever the umask, and leaves existing ones alone. */
async function makeFolders(dir: string, mode: number): Promise<void> {
  const firstMade = await mkdir(dir, { recursive: true, mode });
  if (firstMade === undefined) return;
  for (let made = dir; made.length >= firstMade.length; made = dirname(made)) await chmod(made, mode);
}

async function exists(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined)) !== undefined;
}
