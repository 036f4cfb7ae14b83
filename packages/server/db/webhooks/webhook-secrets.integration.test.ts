import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { makeId } from "../../domain/ids.ts";
import { insertClient } from "../accounts/client-rows.ts";
import { openVault } from "../secrets/open-vault.ts";
import { loadSigningSecrets, rotateSecret } from "./webhook-secrets.ts";

let database: TestDatabase;
let clientId: string;
const vault = openVault({ key: Buffer.alloc(32, 7), keyFile: "" });
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  clientId = makeId();
  await insertClient(database.db, { id: clientId, name: "Test" });
});

const findStored = async () => {
  const { rows } = await database.pool.query<{ secret: Buffer; previous: Buffer | null }>(
    "select secret, previous from webhook_secrets where client_id = $1",
    [clientId],
  );
  return rows[0];
};

describe("signing secrets", () => {
  it("[W4] [N2] can't be read from the database", async () => {
    const [first] = await loadSigningSecrets(database.db, vault, clientId);
    expect(await loadSigningSecrets(database.db, vault, clientId)).toEqual([first]);
    await rotateSecret(database.db, vault, clientId);
    const [second, previous] = await loadSigningSecrets(database.db, vault, clientId);
    expect(previous).toEqual(first);
    const stored = await findStored();
    for (const secret of [first, second])
      for (const kept of [stored?.secret, stored?.previous])
        for (const form of [secret, secret.toString("base64")]) expect(kept?.includes(form)).toBe(false);
  });
});
