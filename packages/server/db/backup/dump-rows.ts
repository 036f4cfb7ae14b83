import type pg from "pg";

const FETCH_ROWS = 500;
/** Held in memory at once. */
const PART_BYTES = 4 * 1024 * 1024;
/** The bytes of unfinished uploads are not copied, so neither are their rows. */
export const NOT_COPIED = ["uploads"];
/** The schema itself records which migrations are applied. */
const LEFT_OUT = ["schema_migrations", ...NOT_COPIED];

export type DumpedTable = { name: string; columns: string[] };

/** Tables and their columns, referenced tables first. */
export async function listTables(client: pg.ClientBase): Promise<DumpedTable[]> {
  const { rows: tables } = await client.query<DumpedTable>(
    `
    select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and c.relpersistence = 'p' and c.relname <> all($1)
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`,
    [LEFT_OUT],
  );
  const { rows: references } = await client.query<{ table: string; refers_to: string }>(`
    select r.relname as "table", f.relname as refers_to
    from pg_constraint join pg_class r on r.oid = conrelid join pg_class f on f.oid = confrelid
    where contype = 'f' and conrelid <> confrelid and r.relnamespace = 'public'::regnamespace`);
  const sorted: DumpedTable[] = [];
  const visit = (table: DumpedTable, path: readonly string[]) => {
    if (sorted.includes(table)) return;
    if (path.includes(table.name)) throw new Error(`circular references between tables: ${path.join(", ")}`);
    for (const { refers_to } of references.filter(({ table: name }) => name === table.name)) {
      const other = tables.find(({ name }) => name === refers_to);
      if (other) visit(other, [...path, table.name]);
    }
    sorted.push(table);
  };
  for (const table of tables) visit(table, []);
  return sorted;
}

export async function listSequences(client: pg.ClientBase): Promise<Record<string, string | null>> {
  const { rows } = await client.query<{ name: string; last_value: string | null }>(
    "select sequencename as name, last_value::text from pg_sequences where schemaname = 'public'",
  );
  return Object.fromEntries(rows.map(({ name, last_value }) => [name, last_value]));
}

/** A table's rows as JSON lines, a few megabytes at a time. Runs in the caller's transaction. */
export async function* dumpRows(
  client: pg.ClientBase,
  table: string,
): AsyncGenerator<{ text: string; rows: number }> {
  await client.query(
    `declare dumped no scroll cursor for select to_jsonb(t)::text as line from ${quote(table)} t`,
  );
  let lines: string[] = [];
  let sizeBytes = 0;
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${FETCH_ROWS} from dumped`);
    for (const { line } of rows) {
      lines.push(line);
      sizeBytes += Buffer.byteLength(line) + 1;
    }
    const isLast = rows.length < FETCH_ROWS;
    if (lines.length > 0 && (isLast || sizeBytes >= PART_BYTES)) {
      yield { text: `${lines.join("\n")}\n`, rows: lines.length };
      lines = [];
      sizeBytes = 0;
    }
    if (isLast) break;
  }
  await client.query("close dumped");
}

/** Quotes an identifier for SQL. */
export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
