import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** One built file, with its compressed versions. */
export type BuiltFile = { content: Buffer; br?: Buffer; gzip?: Buffer };

/** The built pages, in memory, so that a new build does not affect a running service. */
export type Dashboard = { page: string; files: ReadonlyMap<string, BuiltFile> };

const ASSETS_DIR = "app/assets";

export async function loadDashboard(folder: string): Promise<Dashboard> {
  const files = new Map<string, BuiltFile>();
  const names = await readdir(join(folder, ASSETS_DIR));
  const load = (name: string) => readFile(join(folder, ASSETS_DIR, name));
  for (const name of names.filter((each) => !/\.(br|gz)$/.test(each))) {
    files.set(name, {
      content: await load(name),
      ...(names.includes(`${name}.br`) ? { br: await load(`${name}.br`) } : {}),
      ...(names.includes(`${name}.gz`) ? { gzip: await load(`${name}.gz`) } : {}),
    });
  }
  return { page: await readFile(join(folder, "index.html"), "utf8"), files };
}
