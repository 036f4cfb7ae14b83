import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { PostgresBundle } from "./get-postgres-bundle.ts";

export type PostgresBinaries = { initdb: string; postgres: string };

const folderPrefix = "binaries-";

/**
 * Keeps a runnable copy of the bundle in `homeDir`: PostgreSQL's user may not be able to reach the clone, npm creates neither symlinks nor executable
 * bits, and `npm install` would remove files under a running server. The folder is named after the version; a copy with a missing file or one of another
 * size is replaced.
 */
export async function installBinaries(homeDir: string, bundle: PostgresBundle): Promise<PostgresBinaries> {
  const folderName = `${folderPrefix}${bundle.version}`;
  const binariesDir = join(homeDir, folderName);
  const sourceDir = join(bundle.packageDir, "native");
  const files = await listNeededFiles(sourceDir);
  const links = await loadSymlinks(bundle.packageDir);
  if (!(await isCompleteCopy(files, { sourceDir, binariesDir }))) await copyBundle();
  await removeOtherCopies(homeDir, folderName);
  return { initdb: join(binariesDir, "bin", "initdb"), postgres: join(binariesDir, "bin", "postgres") };

  async function copyBundle(): Promise<void> {
    const unfinishedDir = `${binariesDir}.unfinished`;
    await rm(unfinishedDir, { recursive: true, force: true });
    for (const folder of new Set(files.map((file) => dirname(file)))) {
      await makeOpenFolders(unfinishedDir, folder);
    }
    const copies = files.map(async (file) => {
      const copy = join(unfinishedDir, file);
      await copyFile(join(sourceDir, file), copy);
      await chmod(copy, isExecutable(file) ? 0o755 : 0o644);
    });
    await Promise.all(copies);
    for (const link of links) {
      await symlink(link.target, join(unfinishedDir, link.path));
    }
    await rm(binariesDir, { recursive: true, force: true });
    await rename(unfinishedDir, binariesDir);
  }
}

function isExecutable(file: string): boolean {
  return file.startsWith("bin/") || /\.so(\.|$)/.test(file);
}

async function listNeededFiles(sourceDir: string): Promise<string[]> {
  const entries = await readdir(sourceDir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(sourceDir, join(entry.parentPath, entry.name)))
    .filter((file) => /^(bin|lib|share)\//.test(file) && !file.endsWith(".a") && !file.endsWith(".pc"));
}

/** Only links whose target is in the bundle; made relative, so that the folder can be moved. */
async function loadSymlinks(packageDir: string): Promise<{ path: string; target: string }[]> {
  const links: unknown = JSON.parse(await readFile(join(packageDir, "native", "pg-symlinks.json"), "utf8"));
  if (!Array.isArray(links)) throw new Error("pg-symlinks.json of the PostgreSQL binaries is not a list");
  return links.map((link: { source?: unknown; target?: unknown }) => {
    if (typeof link.source !== "string" || typeof link.target !== "string") {
      throw new Error("pg-symlinks.json of the PostgreSQL binaries has an entry without source and target");
    }
    const path = relative("native", link.target);
    return { path, target: relative(dirname(link.target), link.source) };
  });
}

async function isCompleteCopy(
  files: string[],
  { sourceDir, binariesDir }: { sourceDir: string; binariesDir: string },
): Promise<boolean> {
  const comparisons = files.map(async (file) => {
    const [source, copy] = await Promise.all([stat(join(sourceDir, file)), stat(join(binariesDir, file))]);
    return source.size === copy.size;
  });
  const outcomes = await Promise.allSettled(comparisons);
  return outcomes.every((outcome) => outcome.status === "fulfilled" && outcome.value);
}

/** Whatever the umask, PostgreSQL's user must get in; the parent folder decides who else does. */
async function makeOpenFolders(rootDir: string, folder: string): Promise<void> {
  const path = join(rootDir, folder);
  const firstMade = await mkdir(path, { recursive: true });
  if (firstMade === undefined) return;
  for (let made = path; made.length >= firstMade.length; made = dirname(made)) {
    await chmod(made, 0o755);
  }
}

async function removeOtherCopies(homeDir: string, keptName: string): Promise<void> {
  for (const name of await readdir(homeDir)) {
    if (!name.startsWith(folderPrefix) || name === keptName) continue;
    await rm(join(homeDir, name), { recursive: true, force: true });
  }
}
