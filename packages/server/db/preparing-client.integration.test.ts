import type { PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";

let database: TestDatabase;
let client: PoolClient;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  client = await database.pool.connect();
});
// Closed, not given back: the next test has a connection of its own.
afterEach(() => client.release(true));

it("has PostgreSQL prepare a statement once, also of errors", async () => {
  const ask = (value: number) => client.query<{ half: number }>("select 10 / $1::int as half", [value]);
  expect((await ask(5)).rows).toEqual([{ half: 2 }]);
  await expect(ask(0)).rejects.toMatchObject({ code: "22012" });
  expect((await ask(2)).rows).toEqual([{ half: 5 }]);
  const prepared = await client.query(
    "select generic_plans + custom_plans >= 2 as is_used_again from pg_prepared_statements where statement like 'select 10 /%'",
  );
  expect(prepared.rows).toEqual([{ is_used_again: true }]);
});

it("goes on when a table was changed under a connection", async () => {
  await client.query("create table changing (a int)");
  const read = () => client.query("select * from changing where $1", [true]);
  expect((await read()).rows).toEqual([]);
  await client.query("alter table changing add column b int");
  await expect(read()).rejects.toMatchObject({ code: "0A000" });
  await client.query("insert into changing values (1, 2)");
  expect((await read()).rows).toEqual([{ a: 1, b: 2 }]);
});
