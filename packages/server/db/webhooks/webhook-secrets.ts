import { sql } from "kysely";
import type { Vault } from "../../domain/vault.ts";
import { makeSecret } from "../../domain/webhooks/signature.ts";
import type { DatabaseHandle } from "../database.ts";

/** How long the previous secret keeps signing after a rotation. */
const PREVIOUS_SECRET_LIFETIME = "24 hours";

const toContext = (clientId: string) => `webhook secret ${clientId}`;
const seal = (vault: Vault, clientId: string, secret: Buffer) =>
  vault.seal(secret.toString("base64"), toContext(clientId));

async function insertSecretOnce(db: DatabaseHandle, vault: Vault, clientId: string): Promise<void> {
  await db
    .insertInto("webhook_secrets")
    .values({ client_id: clientId, secret: await seal(vault, clientId, makeSecret()) })
    .onConflict((conflict) => conflict.column("client_id").doNothing())
    .execute();
}

/** The account's current signing secrets, newest first; created at the first use. */
export async function loadSigningSecrets(
  db: DatabaseHandle,
  vault: Vault,
  clientId: string,
): Promise<[current: Buffer, ...previous: Buffer[]]> {
  const find = () =>
    db
      .selectFrom("webhook_secrets")
      .select("secret")
      .select(sql<Buffer | null>`case when previous_until > now() then previous end`.as("previous"))
      .where("client_id", "=", clientId)
      .executeTakeFirst();
  let row = await find();
  if (!row) {
    await insertSecretOnce(db, vault, clientId);
    row = await find();
  }
  if (!row) throw new Error(`the signing secret of ${clientId} disappeared right after it was created`);
  const open = async (secret: Buffer) =>
    Buffer.from(await vault.unseal(secret, toContext(clientId)), "base64");
  const current = await open(row.secret);
  return row.previous ? [current, await open(row.previous)] : [current];
}

export async function rotateSecret(db: DatabaseHandle, vault: Vault, clientId: string): Promise<void> {
  await sql`
    update webhook_secrets
    set secret = ${await seal(vault, clientId, makeSecret())},
      previous = secret, previous_until = now() + ${PREVIOUS_SECRET_LIFETIME}::interval
    where client_id = ${clientId}`.execute(db);
}
