import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";

const DASHBOARD_DIR = join(import.meta.dirname, "..");
const BUILT_DIR = join(DASHBOARD_DIR, "dist");
const CHILD = join(import.meta.dirname, "vite-build.ts");
/** The sources of the pages; the SDK is compiled into them. */
const SDK_DIR = dirname(createRequire(import.meta.url).resolve("@stemwright/sdk"));
const LEFT_OUT = new Set(["node_modules", "dist"]);
const HASH_CHARACTERS = 20;

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

async function listSources(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found = await Promise.all(
    entries
      .filter(({ name }) => !LEFT_OUT.has(name) && !/\.test\.tsx?$|\.md$/.test(name))
      .map((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? listSources(path) : [path];
      }),
  );
  return found.flat().sort();
}

/** Changes whenever a source is changed or renamed. */
async function hashSources(): Promise<string> {
  const hash = createHash("sha256");
  for (const folder of [DASHBOARD_DIR, SDK_DIR])
    for (const path of await listSources(folder))
      hash.update(`${relative(folder, path)}\0`).update(await readFile(path));
  return hash.digest("hex").slice(0, HASH_CHARACTERS);
}

/** A published package has no sources, and one folder of built files. */
async function findShipped(): Promise<string | undefined> {
  if (await isThere(join(DASHBOARD_DIR, "index.html"))) return undefined;
  const [name] = await readdir(BUILT_DIR);
  return name === undefined ? undefined : join(BUILT_DIR, name);
}

/** If another process built the same sources meanwhile, its folder is used. */
async function moveInto(place: string, folder: string): Promise<void> {
  try {
    await rename(folder, place);
  } catch (error) {
    if (!(await isThere(place))) throw error;
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * The folder of the built pages. Builds them in a child process if a source changed since the last build: in this process, the bundler would stay in
 * memory.
 */
export async function buildDashboard(): Promise<string> {
  const shipped = await findShipped();
  if (shipped !== undefined) return shipped;
  const hash = await hashSources();
  const place = join(BUILT_DIR, hash);
  if (await isThere(place)) return place;
  const folder = join(BUILT_DIR, `${hash}.${process.pid}`);
  await mkdir(BUILT_DIR, { recursive: true });
  try {
    await promisify(execFile)(process.execPath, [CHILD, folder], { cwd: DASHBOARD_DIR });
    await moveInto(place, folder);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  for (const name of await readdir(BUILT_DIR))
    if (!name.startsWith(hash)) await rm(join(BUILT_DIR, name), { recursive: true, force: true });
  return place;
}
