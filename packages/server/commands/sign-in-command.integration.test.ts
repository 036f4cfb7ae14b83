import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { insertClient } from "../db/accounts/client-rows.ts";
import { makePeopleStore } from "../db/accounts/make-people-store.ts";
import { findFirstOwner, insertPerson } from "../db/accounts/person-rows.ts";
import { hashKey } from "../domain/accounts/key-secrets.ts";
import { bootstrapAccount } from "../start/bootstrap-account.ts";
import { parseSignInCommand } from "./sign-in-command.ts";

let database: TestDatabase;
beforeEach(async () => {
  database = await openTestDatabase();
});
afterEach(() => database.close());

const BASE_URL = "https://stems.example/sub";

/** Runs the command, and returns the person whom the printed link signs in. */
async function run(...args: string[]): Promise<string | undefined> {
  const lines: string[] = [];
  await parseSignInCommand(args, BASE_URL)(database.db, (line) => lines.push(line));
  const [, token = ""] =
    /^ +https:\/\/stems\.example\/sub\/app\/sign-in#([\w-]{43})$/m.exec(lines.join("\n")) ?? [];
  return await makePeopleStore(database.db).findSignInLink(hashKey(token));
}

describe("npm run sign-in", () => {
  it("[PE2] prints a link for the owner created by the first start", async () => {
    await bootstrapAccount(database.db, { bootstrapApiKey: undefined, baseUrl: BASE_URL });
    const { rows } = await database.pool.query<{ id: string }>("select id from people");
    expect(await run()).toBe(rows[0]?.id);
    expect(rows).toHaveLength(1);
  });

  it("[PE2] creates an owner for an account older than people", async () => {
    await insertClient(database.db, { id: "client", name: "Old" });
    const personId = await run();
    expect(await findFirstOwner(database.db, "client")).toMatchObject({
      id: personId,
      role: "owner",
      email: null,
    });
    expect(await run()).toBe(personId);
  });

  it("[PE2] prints a link for anybody by email address", async () => {
    await insertClient(database.db, { id: "client", name: "A" });
    const bo = await insertPerson(database.db, {
      clientId: "client",
      role: "member",
      email: "bo@example.com",
      name: "Bo",
    });
    expect(await run("--email", "Bo@Example.com")).toBe(bo?.id);
    await expect(run("--email", "eve@example.com")).rejects.toThrow(
      /Nobody has the email address "eve@example.com"/,
    );
  });

  it("[PE2] [S1] says what is wrong", async () => {
    await expect(run()).rejects.toThrow(/There is no account yet/);
    expect(() => parseSignInCommand(["--name", "x"], BASE_URL)).toThrow(/Unknown option '--name'.*usage:/s);
  });
});
