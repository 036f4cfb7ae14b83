import { chmod, lstat, opendir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { StartError } from "../faults/start-error.ts";

/** What the service keeps in DATA_DIR. PostgreSQL's folder is its own business: as root it belongs to another user in part. */
const OWN_ENTRIES = /^(blobs|work|cache|logs|encryption\.key.*)$/;
const NEIGHBOURS = /^(postgres|lost\+found)$/;

/** Rights of anybody but the owner. */
const OTHERS = 0o077;
/** Under root PostgreSQL's user has to pass through DATA_DIR; it can't list it. */
const OTHERS_BUT_PASSING = 0o066;
const STICKY = 0o1000;

/**
 * Only the service's user may read its data, however the folders were created: those right below DATA_DIR get mode 0700, which closes
 * everything below them. Rejects with what to do if that is impossible.
 */
export async function secureDataDir(dataDir: string): Promise<void> {
  // A missing folder will be created closed; an unreadable one is reported by the part that needs it.
  const names = await readdir(dataDir).catch(() => undefined);
  if (names === undefined) return;
  for (const name of names.filter((entry) => OWN_ENTRIES.test(entry))) await secureEntry(join(dataDir, name));
  // A folder that others use as well, such as /tmp, keeps its mode.
  const isShared = names.some((name) => !OWN_ENTRIES.test(name) && !NEIGHBOURS.test(name));
  if (!isShared) await closeOwnFolder(dataDir);
}

async function secureEntry(path: string): Promise<void> {
  const { uid } = await stat(path);
  if (uid !== process.getuid?.())
    throw new StartError(
      `${path} belongs to user id ${uid}, but the service was started by user id ${process.getuid?.()}: start it as the user who set it up, or set DATA_DIR to another folder.`,
    );
  await takeRights(path, OTHERS);
  const { mode } = await stat(path);
  if ((mode & OTHERS) !== 0)
    throw new StartError(
      `${path} is open to other users (mode ${toOctal(mode)}), and its disk does not let that be changed: set DATA_DIR to a folder on a disk with permissions, or mount that one with umask=077.`,
    );
}

async function closeOwnFolder(dataDir: string): Promise<void> {
  const { uid, mode } = await stat(dataDir);
  const isOurs = uid === process.getuid?.() && (mode & STICKY) === 0;
  if (isOurs) await takeRights(dataDir, uid === 0 ? OTHERS_BUT_PASSING : OTHERS);
}

/** Gives whether there were any to take. One that can't be taken shows in the mode. */
async function takeRights(path: string, rights: number): Promise<boolean> {
  const { mode } = await stat(path);
  if ((mode & rights) === 0) return false;
  return await chmod(path, mode & 0o777 & ~rights).then(
    () => true,
    () => false,
  );
}

const toOctal = (mode: number) => (mode & 0o777).toString(8);

/** The same for everything below, so that it stays closed when moved or copied; returns how many entries were open. */
export async function secureContents(dataDir: string): Promise<number> {
  let count = 0;
  for (const name of await readdir(dataDir).catch(() => []))
    if (OWN_ENTRIES.test(name)) count += await secureTree(join(dataDir, name));
  return count;
}

async function secureTree(path: string): Promise<number> {
  try {
    const entry = await lstat(path);
    if (!entry.isDirectory() && !entry.isFile()) return 0;
    let count = Number(await takeRights(path, OTHERS));
    if (!entry.isDirectory()) return count;
    for await (const { name } of await opendir(path)) count += await secureTree(join(path, name));
    return count;
  } catch {
    // Removed meanwhile, by a sweep or a Task that ended.
    return 0;
  }
}
