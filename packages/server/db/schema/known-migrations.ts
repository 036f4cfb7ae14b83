import { readdirSync } from "node:fs";
import { join } from "node:path";

const listSql = (dir: string) =>
  readdirSync(dir)
    .filter((name) => name.endsWith(".sql"))
    .sort();

export const MIGRATIONS_DIR = join(import.meta.dirname, "../migrations");

/** The migrations of this release, in order. */
export const KNOWN_MIGRATIONS: readonly string[] = listSql(MIGRATIONS_DIR);

export const NEWEST_MIGRATION = KNOWN_MIGRATIONS.at(-1) ?? "";

/** The schema as of this migration is `db/schema/*.sql`, by noun, from which an empty database gets it. */
export const BASELINE = "1000_baseline.sql";

/** The files of the baseline, in order. */
export const listSchemaFiles = (): string[] =>
  listSql(import.meta.dirname).map((name) => join(import.meta.dirname, name));
