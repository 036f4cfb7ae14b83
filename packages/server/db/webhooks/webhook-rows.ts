import { type Selectable, sql } from "kysely";
import { makeId } from "../../domain/ids.ts";
import type { WebhookRecord } from "../../domain/webhooks/webhook-record.ts";
import type { DatabaseHandle, Tables } from "../database.ts";

const toWebhookRecord = (row: Selectable<Tables["webhooks"]>): WebhookRecord => ({
  id: row.id,
  clientId: row.client_id,
  url: row.url,
  isEnabled: row.enabled,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export async function findWebhook(db: DatabaseHandle, clientId: string): Promise<WebhookRecord | undefined> {
  const row = await db
    .selectFrom("webhooks")
    .selectAll()
    .where("client_id", "=", clientId)
    .executeTakeFirst();
  return row && toWebhookRecord(row);
}

/** Sets the account's URL; pending deliveries to the old one are sent to the new one. */
export async function setWebhook(db: DatabaseHandle, clientId: string, url: string): Promise<WebhookRecord> {
  await db
    .insertInto("webhooks")
    .values({ id: makeId(), client_id: clientId, url })
    .onConflict((conflict) =>
      conflict.column("client_id").doUpdateSet({ url, enabled: true, updated_at: sql`now()` }),
    )
    .execute();
  await sql`
    update deliveries set url = ${url}
    from webhooks where webhooks.client_id = ${clientId} and deliveries.webhook_id = webhooks.id
      and deliveries.state = 'pending'`.execute(db);
  const webhook = await findWebhook(db, clientId);
  if (!webhook) throw new Error("the webhook disappeared right after it was written");
  return webhook;
}

export async function deleteWebhook(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<WebhookRecord | undefined> {
  const webhook = await findWebhook(db, clientId);
  if (webhook?.id !== id) return undefined;
  await db.deleteFrom("webhooks").where("id", "=", id).execute();
  await failPending(db, id, "The webhook URL was removed");
  return webhook;
}

/** The receiver answered 410 Gone: nothing is sent there until the account sets a URL again. */
export async function disableWebhook(
  db: DatabaseHandle,
  webhook: { id: string; url: string },
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable("webhooks")
    .set({ enabled: false, updated_at: sql`now()` })
    .where("id", "=", webhook.id)
    // If the URL was changed meanwhile, the new one stays enabled.
    .where("url", "=", webhook.url)
    .executeTakeFirst();
  if (numUpdatedRows > 0n)
    await failPending(db, webhook.id, "The receiver answered 410; the URL is disabled");
}

async function failPending(db: DatabaseHandle, webhookId: string, reason: string): Promise<void> {
  await db
    .updateTable("deliveries")
    .set({ state: "failed", last_error: reason })
    .where("webhook_id", "=", webhookId)
    .where("state", "=", "pending")
    .execute();
}

/** Updates the webhook's change time; returns the webhook. */
export async function touchWebhook(
  db: DatabaseHandle,
  clientId: string,
  id: string,
): Promise<WebhookRecord | undefined> {
  const row = await db
    .updateTable("webhooks")
    .set({ updated_at: sql`now()` })
    .where("id", "=", id)
    .where("client_id", "=", clientId)
    .returningAll()
    .executeTakeFirst();
  return row && toWebhookRecord(row);
}
