import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";

type Column = { type: string; isNullable: boolean; isGenerated: boolean };

/** What node-postgres returns for a type of PostgreSQL, as this service sets it up; other types of ours are text or JSON. */
const SCALARS: Record<string, string> = {
  bool: "boolean",
  int2: "number",
  int4: "number",
  int8: "number",
  float4: "number",
  float8: "number",
  numeric: "number",
  timestamptz: "Date",
  bytea: "Buffer",
  _text: "string[]",
};
/** Tables that are read and written in SQL alone. */
const UNTYPED = [
  "client_finish_tags",
  "fair_queue",
  "rate_counts",
  "realignments",
  "schema_migrations",
  "span_parts",
  "spans",
  "task_previews",
  "unclaimed_files",
  "usage_by_month",
];

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** The columns of `Tables`, read from its text: types are gone when it runs. */
async function listTypes(): Promise<Map<string, Column>> {
  const text = await readFile(join(import.meta.dirname, "../database.ts"), "utf8");
  const body = /export type Tables = \{\n(.*?)\n\};/s.exec(text)?.[1] ?? "";
  const columns = new Map<string, Column>();
  for (const [, table, fields = ""] of body.matchAll(/^ {2}(\w+): \{(.*?)\};$/gms))
    for (const [, column, given = ""] of fields
      .replace(/\/\*\*.*?\*\//gs, "")
      .matchAll(/(\w+): ([^;]+?)(?:;|\s*$)/g)) {
      const type = given.replace(/^Generated(?:Always)?<(.*)>$/, "$1");
      columns.set(`${table}.${column}`, {
        type: type.replace(/ \| null$/, ""),
        isNullable: type.endsWith(" | null"),
        isGenerated: given.startsWith("Generated"),
      });
    }
  return columns;
}

async function listColumns(): Promise<Map<string, Omit<Column, "isGenerated"> & { isOptional: boolean }>> {
  const { rows } = await database.pool.query<{
    name: string;
    type: string;
    is_nullable: boolean;
    is_optional: boolean;
  }>(`
    select columns.table_name || '.' || column_name as name, udt_name as type, is_nullable = 'YES' as is_nullable,
      column_default is not null or is_identity = 'YES' or is_generated = 'ALWAYS' or is_nullable = 'YES' as is_optional
    from information_schema.columns join information_schema.tables using (table_schema, table_name)
    where table_schema = 'public' and table_type = 'BASE TABLE'`);
  return new Map(
    rows.map(({ name, type, is_nullable, is_optional }) => [
      name,
      {
        type: SCALARS[type] ?? type,
        isNullable: is_nullable,
        isOptional: is_optional,
      },
    ]),
  );
}

const toTable = (name: string) => name.split(".")[0] ?? "";

it("[S9] the types of rows are the columns of the schema", async () => {
  const [types, columns] = [await listTypes(), await listColumns()];
  const typed = new Set([...types.keys()].map(toTable));
  const tables = new Set([...columns.keys()].map(toTable));
  expect([...tables].filter((table) => !typed.has(table)).sort()).toEqual(UNTYPED);
  const inTypedTables = [...columns.keys()].filter((name) => typed.has(toTable(name)));
  expect([...types.keys()].sort()).toEqual(inTypedTables.sort());
  const faults = [...types].filter(([name, type]) => {
    const column = columns.get(name);
    if (!column || column.isNullable !== type.isNullable || (type.isGenerated && !column.isOptional))
      return true;
    const isScalar = Object.values(SCALARS).includes(column.type);
    return isScalar ? column.type !== type.type : Object.values(SCALARS).includes(type.type);
  });
  expect(faults).toEqual([]);
});
