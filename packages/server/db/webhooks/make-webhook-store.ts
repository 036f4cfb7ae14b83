import type { WebhookStore } from "../../domain/ports.ts";
import type { Vault } from "../../domain/vault.ts";
import type { WebhookRecord } from "../../domain/webhooks/webhook-record.ts";
import { bindQueries } from "../bind-queries.ts";
import type { DatabaseHandle } from "../database.ts";
import { inTransaction } from "../in-transaction.ts";
import { findDelivery, insertTestDelivery, listDeliveries, replayDelivery } from "./delivery-rows.ts";
import * as webhooks from "./webhook-rows.ts";
import { loadSigningSecrets, rotateSecret } from "./webhook-secrets.ts";

/** The account's webhook and its log; changes to several rows are one transaction. */
export function makeWebhookStore(db: DatabaseHandle, vault: Vault): WebhookStore {
  const loadSecret = async (handle: DatabaseHandle, clientId: string) =>
    (await loadSigningSecrets(handle, vault, clientId))[0];
  const withSecret = async (handle: DatabaseHandle, webhook: WebhookRecord) => ({
    ...webhook,
    secret: await loadSecret(handle, webhook.clientId),
  });
  const withSecretIfFound = async (handle: DatabaseHandle, webhook: WebhookRecord | undefined) =>
    webhook && (await withSecret(handle, webhook));
  return {
    setWebhook: (clientId, url) =>
      inTransaction(db, async (tx) => withSecret(tx, await webhooks.setWebhook(tx, clientId, url))),
    findWebhook: async (clientId) => withSecretIfFound(db, await webhooks.findWebhook(db, clientId)),
    deleteWebhook: (clientId, id) =>
      inTransaction(db, async (tx) => withSecretIfFound(tx, await webhooks.deleteWebhook(tx, clientId, id))),
    rotateSecret: (clientId, id) =>
      inTransaction(db, async (tx) => {
        const webhook = await webhooks.touchWebhook(tx, clientId, id);
        if (webhook) await rotateSecret(tx, vault, clientId);
        return await withSecretIfFound(tx, webhook);
      }),
    loadSecret: (clientId) => loadSecret(db, clientId),
    ...bindQueries(db, { insertTestDelivery, listDeliveries, findDelivery }),
    replayDelivery: (clientId, id) => inTransaction(db, (tx) => replayDelivery(tx, clientId, id)),
  };
}
