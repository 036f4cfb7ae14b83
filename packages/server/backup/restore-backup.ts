import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import type pg from "pg";
import type { Config } from "../config/load-config.ts";
import { finishLoading, loadRows, startLoading } from "../db/backup/load-rows.ts";
import { SteadyClient } from "../db/connection/steady-client.ts";
import { withDatabase } from "../db/connection/with-database.ts";
import { BASELINE, KNOWN_MIGRATIONS } from "../db/schema/known-migrations.ts";
import { migrate } from "../db/schema/migrate.ts";
import {
  checkUpgradable,
  findRestoredTable,
  isReplaced,
  type RestoredTable,
} from "../db/schema/replaced-migrations.ts";
import type { Blobs } from "../domain/ports.ts";
import { StartError } from "../faults/start-error.ts";
import { type BackupManifest, DATABASE_PREFIX, FILES_PREFIX, KEY_NAME } from "./backup-format.ts";
import { type BackupEntry, checkBackup, readBackup, readText } from "./backup-reader.ts";

export type RestoreTarget = {
  databaseUrl: string;
  blobs: Pick<Blobs, "write">;
  encryption: Config["encryption"];
};

/** Restores a backup into an installation without accounts. The backup is verified completely before anything changes. */
export async function restoreBackup(
  target: RestoreTarget,
  path: string,
): Promise<Pick<BackupManifest, "version" | "createdAt"> & { files: number }> {
  const manifest = await checkBackup(path);
  const { migrations, tables } = findSchema(manifest);
  await withDatabase(
    target.databaseUrl,
    async ({ pool }) => {
      await requireEmpty(target.databaseUrl);
      // To the backup's own schema first; later migrations are then applied to its rows, as in any upgrade.
      await migrate(pool, { only: migrations });
      await restoreContent(target, path, { ...manifest, restored: tables });
      await migrate(pool);
    },
    { hasLimit: false },
  );
  const { version, createdAt, files } = manifest;
  return { version, createdAt, files: files.length };
}

type Restored = ReadonlyMap<string, RestoredTable>;

/** The schema to load the rows into, and its tables by their names in the backup. */
function findSchema({ migrations, tables, version }: BackupManifest): {
  migrations: ReadonlySet<string>;
  tables: Restored;
} {
  const unknown = migrations.find((name) => !KNOWN_MIGRATIONS.includes(name) && !isReplaced(name));
  if (unknown !== undefined)
    throw new StartError(
      `The backup was made by a newer version (${version}): restore it with that one or a later one`,
    );
  if (migrations.includes(BASELINE))
    return {
      migrations: new Set(migrations),
      tables: new Map(tables.map((table) => [table.name, { ...table, formerNames: new Map() }])),
    };
  checkUpgradable(new Set(migrations));
  const restored = tables.flatMap((table) => {
    const found = findRestoredTable(table);
    return found ? [[table.name, found] as const] : [];
  });
  return { migrations: new Set([BASELINE]), tables: new Map(restored) };
}

async function requireEmpty(databaseUrl: string): Promise<void> {
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query("select from pg_class where oid = to_regclass('public.clients')");
    const { rows: clients } =
      rows.length > 0 ? await client.query("select from clients limit 1") : { rows: [] };
    if (clients.length > 0)
      throw new StartError(
        "This installation has accounts already: restore into an empty DATA_DIR, or an empty database",
      );
  });
}

async function withClient<Result>(
  databaseUrl: string,
  use: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new SteadyClient({ connectionString: databaseUrl, application_name: "stemwright restore" });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Files and key before the rows are committed: an installation with rows has everything they refer to. */
async function restoreContent(
  target: RestoreTarget,
  path: string,
  manifest: BackupManifest & { restored: Restored },
): Promise<void> {
  const tables = [...manifest.restored.values()];
  const files = new Set(manifest.files);
  await withClient(target.databaseUrl, async (client) => {
    await client.query("begin");
    await startLoading(client, tables);
    for await (const entry of readBackup(path)) {
      const { name } = entry;
      if (name.startsWith(DATABASE_PREFIX)) await restoreRows(client, entry, manifest);
      else if (name === KEY_NAME) await restoreKey(target.encryption, await readText(entry));
      else if (name.startsWith(FILES_PREFIX) && files.has(name.slice(FILES_PREFIX.length)))
        await target.blobs.write(name.slice(FILES_PREFIX.length), Readable.from(entry.content()));
    }
    await finishLoading(client, tables, manifest.sequences);
    await client.query("commit");
  });
}

async function restoreRows(
  client: pg.Client,
  entry: BackupEntry,
  { tables, restored }: BackupManifest & { restored: Restored },
): Promise<void> {
  const name = entry.name.split("/")[1] ?? "";
  if (!tables.some((table) => table.name === name))
    throw new StartError(`${entry.name} belongs to no table of the backup`);
  const table = restored.get(name);
  // Dropped since the backup was made.
  if (!table) return;
  const lines = (await readText(entry)).split("\n").filter((line) => line !== "");
  await loadRows(client, table, lines);
}

/** An existing key must be the same: two keys would leave half of the secrets unreadable. */
async function restoreKey({ key, keyFile }: Config["encryption"], text: string): Promise<void> {
  const own = key?.toString("base64") ?? (await readFile(keyFile, "utf8").catch(() => undefined))?.trim();
  if (own !== undefined && own !== text.trim())
    throw new StartError(
      key
        ? "ENCRYPTION_KEY is not the key of the backup: set it to the one of encryption.key in the backup, or leave it out"
        : `${keyFile} is not the key of the backup: move it away`,
    );
  if (own !== undefined) return;
  await mkdir(dirname(keyFile), { recursive: true, mode: 0o700 });
  await writeFile(keyFile, text, { mode: 0o600, flush: true });
}
