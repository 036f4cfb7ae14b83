import type pg from "pg";
import type { RestoredTable } from "../schema/replaced-migrations.ts";
import { type DumpedTable, NOT_COPIED, quote } from "./dump-rows.ts";

const INSERT_ROWS = 500;

/**
 * Empties the tables before loading a backup. Triggers maintain totals, which the backup contains as rows, so they are off until `finishLoading`. Runs
 * in the caller's transaction.
 */
export async function startLoading(client: pg.ClientBase, tables: readonly DumpedTable[]): Promise<void> {
  for (const { name } of tables) await client.query(`alter table ${quote(name)} disable trigger user`);
  const names = [...tables.map(({ name }) => name), ...NOT_COPIED];
  await client.query(`truncate ${names.map(quote).join(", ")}`);
}

/** Rows as JSON lines, whose fields are matched by name. PostgreSQL reads and renames them, since JavaScript would round their numbers. */
export async function loadRows(
  client: pg.ClientBase,
  { name, columns, formerNames }: RestoredTable,
  lines: readonly string[],
): Promise<void> {
  const list = columns.map(quote).join(", ");
  const renamed = [...formerNames].map(([now, before]) => `'${now}', line.object -> '${before}'`).join(", ");
  for (let at = 0; at < lines.length; at += INSERT_ROWS)
    await client.query(
      `insert into ${quote(name)} (${list}) overriding system value
       select ${columns.map((column) => `loaded.${quote(column)}`).join(", ")} from jsonb_array_elements($1::jsonb) as line (object),
         jsonb_populate_record(null::${quote(name)}, line.object || jsonb_build_object(${renamed})) as loaded`,
      [`[${lines.slice(at, at + INSERT_ROWS).join(",")}]`],
    );
}

export async function finishLoading(
  client: pg.ClientBase,
  tables: readonly DumpedTable[],
  sequences: Record<string, string | null>,
): Promise<void> {
  for (const [name, lastValue] of Object.entries(sequences))
    if (lastValue !== null) await client.query("select setval($1::regclass, $2)", [quote(name), lastValue]);
  for (const { name } of tables) await client.query(`alter table ${quote(name)} enable trigger user`);
}
