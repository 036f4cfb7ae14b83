import { sql } from "kysely";
import type { DatabaseHandle } from "../database.ts";
import { KNOWN_MIGRATIONS, NEWEST_MIGRATION } from "./known-migrations.ts";

const UNDEFINED_TABLE = "42P01";

/** Why this release can't use the database's schema. */
export type SchemaFault = { kind: "too-old" | "too-new"; message: string };

/** A migration that removes what older releases use names the newest migration a process must know (`needs`). */
export const IS_TOO_NEW = sql<boolean>`exists (select from schema_migrations where needs > ${NEWEST_MIGRATION})`;

export async function findSchemaFault(db: DatabaseHandle): Promise<SchemaFault | undefined> {
  const rows = await listApplied(db);
  const applied = new Set(rows.map(({ name }) => name));
  const [missing, ...others] = KNOWN_MIGRATIONS.filter((name) => !applied.has(name));
  if (missing !== undefined)
    return {
      kind: "too-old",
      message: `The database's schema is older than this release: it lacks ${missing}${others.length > 0 ? ` and ${others.length} more` : ""}. Run "npm run migrate" of this release`,
    };
  const needs = rows
    .flatMap((row) => row.needs ?? [])
    .sort()
    .at(-1);
  if (needs === undefined || needs <= NEWEST_MIGRATION) return undefined;
  return {
    kind: "too-new",
    message: `The database's schema is newer than this release understands: it needs one that knows ${needs}. Upgrade this process`,
  };
}

async function listApplied(db: DatabaseHandle): Promise<{ name: string; needs: string | null }[]> {
  try {
    const { rows } = await sql<{ name: string; needs: string | null }>`
      select name, needs from schema_migrations`.execute(db);
    return rows;
  } catch (error) {
    if ((error as { code?: string }).code === UNDEFINED_TABLE) return [];
    throw error;
  }
}
