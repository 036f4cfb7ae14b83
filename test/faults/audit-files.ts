import { readdir, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { type Finding, toFindings } from "./finding.ts";
import type { Installation } from "./installation.ts";
import { listFiles } from "./list-files.ts";

const DAY_MS = 86_400_000;
/** Compiled modules: kept between runs by design, not client data. */
const COMPILED = /^(stemwright-compiled|node-compile-cache)/;

const STORED = `
  select blob_key from assets
  union all
  select blob_key from outputs join targets on targets.id = target_id join tasks on tasks.id = task_id
  where outputs_removed_at is null`;

const PREVIEWS =
  "select 'outputs/' || task_id || '/previews/' || version || '/' as prefix from task_previews";

const list = (dir: string) => readdir(dir).catch(() => []);

/** Files that neither a row nor running work refers to. */
async function listStray(
  installation: Installation,
  rows: { keys: ReadonlySet<string>; prefixes: readonly string[] },
): Promise<string[]> {
  const stray = (await installation.listBlobKeys()).filter(
    (key) => !rows.keys.has(key) && !rows.prefixes.some((prefix) => key.startsWith(prefix)),
  );
  for (const dataDir of installation.seenDataDirs) {
    for (const dir of [join("blobs", "partial"), "work"])
      stray.push(...(await list(join(dataDir, dir))).map((name) => join(dir, name)));
  }
  stray.push(...(await list(installation.tempDir)).filter((name) => !COMPILED.test(name)));
  return stray;
}

export async function auditFiles(db: pg.Client, installation: Installation): Promise<Finding[]> {
  const { rows } = await db.query<{ blob_key: string }>(STORED);
  const rowKeys = new Set(rows.map(({ blob_key }) => blob_key));
  const previews = await db.query<{ prefix: string }>(PREVIEWS);
  const prefixes = previews.rows.map(({ prefix }) => prefix);
  const present = new Set(await installation.listBlobKeys());
  return [
    ...toFindings("filesStray", await listStray(installation, { keys: rowKeys, prefixes })),
    ...toFindings(
      "filesMissing",
      [...rowKeys].filter((key) => !present.has(key)),
    ),
  ];
}

/** Ages unclaimed files by a day: an upload may take that long, and a worker an hour to notice a deletion. */
export async function ageUnclaimedFiles(db: pg.Client): Promise<void> {
  await db.query(`
    update unclaimed_files set due_at = due_at - interval '26 hours', written_until = written_until - interval '26 hours'`);
}

/** Ages stored files by a day: half-written ones are left alone while somebody may still be writing them. */
export async function ageFiles({ seenDataDirs }: Installation): Promise<void> {
  for (const dataDir of seenDataDirs) {
    for (const file of await listFiles(join(dataDir, "blobs"))) {
      const path = join(dataDir, "blobs", file);
      const before = new Date((await stat(path)).mtimeMs - 1.1 * DAY_MS);
      await utimes(path, before, before);
    }
  }
}
