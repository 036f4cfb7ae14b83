import { sql } from "kysely";
import { type Receipt, ReceiptTaken } from "../../domain/requests/idempotency.ts";
import type { DatabaseHandle } from "../database.ts";

const LIFETIME = sql`interval '24 hours'`;

export async function findReceipt(
  db: DatabaseHandle,
  clientId: string,
  key: string,
): Promise<{ principal: string | null; fingerprint: Buffer; sealedResponse: Buffer } | undefined> {
  const row = await db
    .selectFrom("idempotency_receipts")
    .select(["principal", "fingerprint", "sealed_response"])
    .where("client_id", "=", clientId)
    .where("key", "=", key)
    .where("created_at", ">", sql<Date>`now() - ${LIFETIME}`)
    .executeTakeFirst();
  if (!row?.sealed_response) return undefined;
  return { principal: row.principal, fingerprint: row.fingerprint, sealedResponse: row.sealed_response };
}

/** Claims the key for this transaction. If another transaction holds it, this waits: if that one fails, this one continues, otherwise it throws. */
export async function takeReceipt(db: DatabaseHandle, receipt: Receipt): Promise<void> {
  const { rows } = await sql`
    insert into idempotency_receipts (client_id, principal, key, fingerprint)
    values (${receipt.clientId}, ${receipt.principal}, ${receipt.key}, ${receipt.fingerprint})
    on conflict (client_id, key) do update
      set principal = excluded.principal, fingerprint = excluded.fingerprint, sealed_response = null, created_at = now()
      where idempotency_receipts.created_at <= now() - ${LIFETIME}
    returning 1`.execute(db);
  if (rows.length === 0) throw new ReceiptTaken();
}

export async function setReceiptAnswer(
  db: DatabaseHandle,
  receipt: { clientId: string; key: string; sealedResponse: Buffer },
): Promise<void> {
  await db
    .updateTable("idempotency_receipts")
    .set({ sealed_response: receipt.sealedResponse })
    .where("client_id", "=", receipt.clientId)
    .where("key", "=", receipt.key)
    .execute();
}

/** Deletes expired receipts; returns how many. */
export async function deleteOldReceipts(db: DatabaseHandle, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from idempotency_receipts where (client_id, key) in (
      select client_id, key from idempotency_receipts
      where created_at <= now() - ${LIFETIME} order by created_at limit ${limit} for update skip locked)`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}
