import type { PoolClient } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { isOutOfReach } from "../../faults/is-out-of-reach.ts";

let database: TestDatabase;
let client: PoolClient;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  client = await database.pool.connect();
});
// Closed, not returned to the pool: the next test gets a new connection.
afterEach(() => client.release(true));

it("prepares a statement once, even if it fails", async () => {
  const ask = (value: number) => client.query<{ half: number }>("select 10 / $1::int as half", [value]);
  expect((await ask(5)).rows).toEqual([{ half: 2 }]);
  await expect(ask(0)).rejects.toMatchObject({ code: "22012" });
  expect((await ask(2)).rows).toEqual([{ half: 5 }]);
  const prepared = await client.query(
    "select generic_plans + custom_plans >= 2 as is_used_again from pg_prepared_statements where statement like 'select 10 /%'",
  );
  expect(prepared.rows).toEqual([{ is_used_again: true }]);
});

it("[S9] survives a table change under open connections", async () => {
  await client.query("create table changing (a int)");
  const others = [await database.pool.connect(), await database.pool.connect()];
  const read = (on = client) => on.query("select * from changing where $1", [true]);
  for (const one of [client, ...others]) expect((await read(one)).rows).toEqual([]);
  await client.query("alter table changing add column b int");
  await client.query("insert into changing values (1, 2)");
  expect((await read()).rows).toEqual([{ a: 1, b: 2 }]);
  // The others have been notified, so that not even a transaction fails.
  for (const other of others) {
    await other.query("begin");
    expect((await read(other)).rows).toEqual([{ a: 1, b: 2 }]);
    await other.query("commit");
    other.release();
  }
});

it("[S9] [E9] fails only the first transaction that notices a table change, as an outage", async () => {
  await client.query("create table changed (a int)");
  const read = () => client.query("select * from changed where $1", [true]);
  await read();
  await client.query("alter table changed add column b int");
  await client.query("begin");
  const failure = await read().catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "0A000" });
  expect(isOutOfReach(failure)).toBe(true);
  await client.query("rollback");
  await client.query("begin");
  expect((await read()).rows).toEqual([]);
  await client.query("commit");
});
