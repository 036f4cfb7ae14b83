import { readdirSync } from "node:fs";
import { join } from "node:path";

export const MIGRATIONS_DIR = join(import.meta.dirname, "../migrations");

/** The migrations of this release, in order. */
export const KNOWN_MIGRATIONS: readonly string[] = readdirSync(MIGRATIONS_DIR)
  .filter((name) => name.endsWith(".sql"))
  .sort();

export const NEWEST_MIGRATION = KNOWN_MIGRATIONS.at(-1) ?? "";
