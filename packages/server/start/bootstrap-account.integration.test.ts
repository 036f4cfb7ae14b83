import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { makeKey } from "../domain/accounts/key-secrets.ts";
import { bootstrapAccount } from "./bootstrap-account.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

describe("the first account", () => {
  it.each([undefined, "a-key-for-everybody"])(
    "[K3] is one, however many processes start together (BOOTSTRAP_API_KEY: %s)",
    async (bootstrapApiKey) => {
      // Five connections that are already open: connecting first would be too slow to collide.
      await Promise.all(Array.from({ length: 5 }, () => database.pool.query("select pg_sleep(0.2)")));
      const starts = Array.from({ length: 5 }, () =>
        bootstrapAccount(database.db, { bootstrapApiKey, baseUrl: "http://here" }),
      );
      const made = (await Promise.all(starts)).filter((account) => account !== undefined);
      expect(made).toEqual([
        {
          key: bootstrapApiKey ?? expect.stringMatching(/^sw_/),
          signInLink: expect.stringMatching(/^http:\/\/here\/app\/sign-in#[\w-]{43}$/),
        },
      ]);
      expect(await database.db.selectFrom("clients").select("name").execute()).toHaveLength(1);
    },
  );

  it("[K3] [S8] is returned again if the first response was lost", async () => {
    const options = { bootstrapApiKey: undefined, baseUrl: "http://here" };
    const newKey = makeKey();
    const told = [await bootstrapAccount(database.db, { ...options, newKey })];
    told.push(await bootstrapAccount(database.db, { ...options, newKey }));
    expect(told.map((account) => account?.key)).toEqual([newKey, newKey]);
    expect(await bootstrapAccount(database.db, options)).toBeUndefined();
  });
});
