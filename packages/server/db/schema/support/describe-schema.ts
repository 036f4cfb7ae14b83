import type pg from "pg";

/** Everything that makes up a schema but the order of its columns and the names of `not null`, a line each. */
const PARTS = [
  `select table_name, column_name, udt_name, is_nullable, column_default, generation_expression, identity_generation, numeric_precision, numeric_scale
   from information_schema.columns where table_schema = 'public'`,
  "select relname, relkind, relpersistence, reloptions from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'S')",
  "select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint where connamespace = 'public'::regnamespace and contype <> 'n'",
  "select indexdef from pg_indexes where schemaname = 'public'",
  "select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace",
  "select viewname, definition from pg_views where schemaname = 'public'",
  "select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal",
];

export async function describeSchema(pool: pg.Pool): Promise<string[]> {
  const lines: string[] = [];
  for (const sql of PARTS) {
    const { rows } = await pool.query<unknown[]>({ text: sql, rowMode: "array" });
    lines.push(...rows.map((row) => row.join(" | ")).sort());
  }
  return lines;
}
