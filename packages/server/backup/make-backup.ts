import { readFile } from "node:fs/promises";
import type pg from "pg";
import type { Config } from "../config/load-config.ts";
import { dumpRows, listSequences, listTables } from "../db/backup/dump-rows.ts";
import { SteadyClient } from "../db/connection/steady-client.ts";
import type { Blobs } from "../domain/ports.ts";
import { isCustomerBlobKey } from "../domain/storage/customer-object.ts";
import packageFile from "../package.json" with { type: "json" };
import {
  type BackupManifest,
  DATABASE_PREFIX,
  FILES_PREFIX,
  FORMAT_VERSION,
  KEY_NAME,
  MANIFEST_NAME,
} from "./backup-format.ts";
import { type BackupWriter, openBackupWriter } from "./backup-writer.ts";

export type BackupSource = {
  databaseUrl: string;
  blobs: Pick<Blobs, "findSize" | "read">;
  encryption: Config["encryption"];
};

type Summary = { files: number; fileBytes: number; rows: number };

/**
 * Backs up a running service. Stored files never change, and are deleted only after the rows that refer to them. So files are copied first; then rows are
 * read in one snapshot, once every file it refers to is in the backup. A file deleted in between has no row in the next snapshot.
 */
export async function makeBackup(source: BackupSource, path: string): Promise<Summary> {
  const writer = await openBackupWriter(path);
  const client = new SteadyClient({
    connectionString: source.databaseUrl,
    application_name: "stemwright backup",
  });
  try {
    await client.connect();
    const summary = await write(client, source, writer);
    await writer.finish();
    return summary;
  } catch (error) {
    await writer.abort();
    throw error;
  } finally {
    await client.end();
  }
}

async function write(client: pg.Client, source: BackupSource, writer: BackupWriter): Promise<Summary> {
  const copied = new Map<string, number>();
  for (;;) {
    // The first time outside a transaction: a snapshot held for hours would keep PostgreSQL from vacuuming.
    await copyFiles(await listFileKeys(client), { source, writer, copied });
    await client.query("begin isolation level repeatable read read only");
    const keys = await listFileKeys(client);
    await copyFiles(keys, { source, writer, copied });
    if (keys.every((key) => copied.has(key))) {
      const rows = await writeRows(client, writer, keys);
      await client.query("commit");
      await writeKey(source.encryption, writer);
      return {
        files: keys.length,
        fileBytes: keys.reduce((sum, key) => sum + (copied.get(key) ?? 0), 0),
        rows,
      };
    }
    await client.query("rollback");
  }
}

/** Only our own store: files in customers' buckets are theirs to back up. */
async function listFileKeys(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ blob_key: string }>(
    "select blob_key from assets union select blob_key from outputs order by 1",
  );
  return rows.map(({ blob_key }) => blob_key).filter((key) => !isCustomerBlobKey(key));
}

async function copyFiles(
  keys: readonly string[],
  { source, writer, copied }: { source: BackupSource; writer: BackupWriter; copied: Map<string, number> },
): Promise<void> {
  for (const key of keys) {
    if (copied.has(key)) continue;
    const sizeBytes = await source.blobs.findSize(key);
    if (sizeBytes === undefined) continue;
    await writer.add(`${FILES_PREFIX}${key}`, sizeBytes, await source.blobs.read(key));
    copied.set(key, sizeBytes);
  }
}

async function writeRows(client: pg.Client, writer: BackupWriter, files: string[]): Promise<number> {
  const tables: BackupManifest["tables"] = [];
  for (const { name, columns } of await listTables(client)) {
    const table = { name, columns, rows: 0 };
    let part = 0;
    for await (const { text, rows } of dumpRows(client, name)) {
      part += 1;
      table.rows += rows;
      await writer.addText(`${DATABASE_PREFIX}${name}/${String(part).padStart(6, "0")}.jsonl`, text);
    }
    tables.push(table);
  }
  const { rows: applied } = await client.query<{ name: string }>(
    "select name from schema_migrations order by name",
  );
  const manifest: BackupManifest = {
    format: FORMAT_VERSION,
    version: packageFile.version,
    createdAt: new Date().toISOString(),
    migrations: applied.map(({ name }) => name),
    tables,
    sequences: await listSequences(client),
    files,
  };
  await writer.addText(MANIFEST_NAME, `${JSON.stringify(manifest, null, 1)}\n`);
  return tables.reduce((sum, { rows }) => sum + rows, 0);
}

/** Without the key no secret in the database can be decrypted. There is none if nothing was ever encrypted. */
async function writeKey({ key, keyFile }: Config["encryption"], writer: BackupWriter): Promise<void> {
  const text = key
    ? `${key.toString("base64")}\n`
    : await readFile(keyFile, "utf8").catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
        return undefined;
      });
  if (text !== undefined) await writer.addText(KEY_NAME, text);
}
