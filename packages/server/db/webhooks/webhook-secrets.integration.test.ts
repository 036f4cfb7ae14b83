import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { makeId } from "../../domain/ids.ts";
import { insertClient } from "../accounts/client-rows.ts";
import { openVault } from "../secrets/open-vault.ts";
import { loadSigningSecrets, rotateSecret, sealOldSecrets } from "./webhook-secrets.ts";

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

/** Unencrypted, as older releases stored them. */
const insertOld = (secret: Buffer, previous: Buffer) =>
  database.pool.query(
    "insert into webhook_secrets (client_id, secret, previous, previous_until) values ($1, $2, $3, now() + interval '1 hour')",
    [clientId, secret, previous],
  );
const findStored = async () => {
  const { rows } = await database.pool.query<{ secret: Buffer; previous: Buffer | null; is_sealed: boolean }>(
    "select secret, previous, is_sealed from webhook_secrets where client_id = $1",
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

  it("[W4] stored unencrypted still sign, and are encrypted at the next start", async () => {
    const [secret, previous] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
    await insertOld(secret, previous);
    expect(await loadSigningSecrets(database.db, vault, clientId)).toEqual([secret, previous]);
    await Promise.all([sealOldSecrets(database.db, vault), sealOldSecrets(database.db, vault)]);
    const stored = await findStored();
    expect(stored?.is_sealed).toBe(true);
    expect(stored?.secret.includes(secret)).toBe(false);
    expect(await loadSigningSecrets(database.db, vault, clientId)).toEqual([secret, previous]);
  });

  it("[W5] stored unencrypted can be rotated", async () => {
    const secret = Buffer.alloc(32, 1);
    await insertOld(secret, Buffer.alloc(32, 2));
    await rotateSecret(database.db, vault, clientId);
    const [, previous] = await loadSigningSecrets(database.db, vault, clientId);
    expect(previous).toEqual(secret);
  });
});
