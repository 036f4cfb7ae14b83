import { type CompiledQuery, Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import type { Database, Tables } from "../packages/server/db/database.ts";

/** The plans of the queries that one of our functions makes, as PostgreSQL ran them. */
export async function explain(pool: pg.Pool, run: (db: Database) => Promise<unknown>): Promise<string> {
  const queries: CompiledQuery[] = [];
  const dialect = new PostgresDialect({ pool });
  await run(new Kysely<Tables>({ dialect, log: ({ query }) => void queries.push(query) }));
  const plans: string[] = [];
  for (const { sql, parameters } of queries) {
    const { rows } = await pool.query<{ "QUERY PLAN": string }>(`explain (analyze, buffers) ${sql}`, [
      ...parameters,
    ]);
    const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
    plans.push(plan.replace(/\{[^}]{60,}\}/g, "{…}"));
  }
  return plans.join("\n\n");
}
