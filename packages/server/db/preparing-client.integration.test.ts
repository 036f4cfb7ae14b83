import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { openDatabase } from "./database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it("has PostgreSQL prepare a statement once, also of errors", async () => {
  const { db, pool } = openDatabase({ connectionString: database.url, maxConnections: 1 });
  const client = await pool.connect();
  const ask = (value: number) => client.query<{ half: number }>("select 10 / $1::int as half", [value]);
  expect((await ask(5)).rows).toEqual([{ half: 2 }]);
  await expect(ask(0)).rejects.toMatchObject({ code: "22012" });
  expect((await ask(2)).rows).toEqual([{ half: 5 }]);
  const prepared = await client.query(
    "select generic_plans + custom_plans as runs from pg_prepared_statements where statement like 'select 10 /%'",
  );
  expect(prepared.rows).toEqual([{ runs: 3 }]);
  client.release();
  await db.destroy();
});

it("goes on when a table was changed under a connection", async () => {
  const { db, pool } = openDatabase({ connectionString: database.url, maxConnections: 1 });
  const client = await pool.connect();
  await client.query("create table changing (a int)");
  const read = () => client.query("select * from changing where $1", [true]);
  expect((await read()).rows).toEqual([]);
  await client.query("alter table changing add column b int");
  await expect(read()).rejects.toMatchObject({ code: "0A000" });
  await client.query("insert into changing values (1, 2)");
  expect((await read()).rows).toEqual([{ a: 1, b: 2 }]);
  client.release();
  await db.destroy();
});
