import { type Selectable, sql } from "kysely";
import type { Vault } from "../../domain/vault.ts";
import { makeSecret } from "../../domain/webhooks/signature.ts";
import type { DatabaseHandle, Tables } from "../database.ts";

/** How long the previous secret keeps signing after a rotation. */
const PREVIOUS_SECRET_LIFETIME = "24 hours";

const toContext = (clientId: string) => `webhook secret ${clientId}`;
const seal = (vault: Vault, clientId: string, secret: Buffer) =>
  vault.seal(secret.toString("base64"), toContext(clientId));

async function insertSecretOnce(db: DatabaseHandle, vault: Vault, clientId: string): Promise<void> {
  await db
    .insertInto("webhook_secrets")
    .values({ client_id: clientId, secret: await seal(vault, clientId, makeSecret()), is_sealed: true })
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
      .select(["secret", "is_sealed"])
      .select(sql<Buffer | null>`case when previous_until > now() then previous end`.as("previous"))
      .where("client_id", "=", clientId)
      .executeTakeFirst();
  let row = await find();
  if (!row) {
    await insertSecretOnce(db, vault, clientId);
    row = await find();
  }
  if (!row) throw new Error(`the signing secret of ${clientId} disappeared right after it was created`);
  const { is_sealed } = row;
  const open = async (secret: Buffer) =>
    is_sealed ? Buffer.from(await vault.unseal(secret, toContext(clientId)), "base64") : secret;
  const current = await open(row.secret);
  return row.previous ? [current, await open(row.previous)] : [current];
}

export async function rotateSecret(db: DatabaseHandle, vault: Vault, clientId: string): Promise<void> {
  await sealOldSecrets(db, vault, clientId);
  await sql`
    update webhook_secrets
    set secret = ${await seal(vault, clientId, makeSecret())},
      previous = secret, previous_until = now() + ${PREVIOUS_SECRET_LIFETIME}::interval
    where client_id = ${clientId}`.execute(db);
}

/** Encrypts secrets stored unencrypted by older releases, of one client or of all. */
export async function sealOldSecrets(db: DatabaseHandle, vault: Vault, clientId?: string): Promise<void> {
  const old = db.selectFrom("webhook_secrets").selectAll().where("is_sealed", "=", false);
  const rows = await (clientId === undefined ? old : old.where("client_id", "=", clientId)).execute();
  for (const row of rows) await sealOldSecret(db, vault, row);
}

async function sealOldSecret(
  db: DatabaseHandle,
  vault: Vault,
  row: Selectable<Tables["webhook_secrets"]>,
): Promise<void> {
  const { client_id, secret, previous } = row;
  await db
    .updateTable("webhook_secrets")
    .set({
      secret: await seal(vault, client_id, secret),
      previous: previous && (await seal(vault, client_id, previous)),
      is_sealed: true,
    })
    .where("client_id", "=", client_id)
    // Another process may have encrypted or rotated it meanwhile.
    .where("is_sealed", "=", false)
    .where("secret", "=", secret)
    .execute();
}
