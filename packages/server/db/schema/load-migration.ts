import { readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { BASELINE, listSchemaFiles, MIGRATIONS_DIR } from "./known-migrations.ts";
import { checkUpgradable } from "./replaced-migrations.ts";

export type Migration = { name: string; sql: string; needs: string | undefined };

/** `-- needs: NNNN_name.sql`: releases without that migration can't use the schema after this one. */
export const findNeeds = (sql: string): string | undefined => /^-- needs: (\S+)$/m.exec(sql)?.[1];

/** The baseline is the schema by noun for an empty database, and an upgrade for one with the migrations it replaced. */
export async function loadMigration(name: string, applied: ReadonlySet<string>): Promise<Migration> {
  const sql = await readFile(join(MIGRATIONS_DIR, name), "utf8");
  const needs = findNeeds(sql);
  if (name !== BASELINE) return { name, sql, needs };
  if (applied.size === 0) return { name, sql: await readSchema(() => true), needs };
  checkUpgradable(applied);
  const included = /^-- includes: (\S+)$/m.exec(sql)?.[1];
  return { name, sql: `${sql}\n${await readSchema((file) => file === included)}`, needs };
}

async function readSchema(isWanted: (file: string) => boolean): Promise<string> {
  const paths = listSchemaFiles().filter((path) => isWanted(basename(path)));
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  return texts.join("\n");
}
