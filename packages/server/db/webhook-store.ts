import type { WebhookStore } from "../domain/ports.ts";
import type { DatabaseHandle } from "./database.ts";
import * as deliveries from "./deliveries.ts";
import { inTransaction } from "./in-transaction.ts";
import * as webhooks from "./webhooks.ts";

/** The account's webhook and its log over the database; what changes more than one row does so in one transaction. */
export function makeWebhookStore(db: DatabaseHandle): WebhookStore {
  return {
    setWebhook: (clientId, url) => inTransaction(db, (tx) => webhooks.setWebhook(tx, clientId, url)),
    findWebhook: (clientId) => webhooks.findWebhook(db, clientId),
    deleteWebhook: (clientId, id) => inTransaction(db, (tx) => webhooks.deleteWebhook(tx, clientId, id)),
    rotateSecret: (clientId, id) => inTransaction(db, (tx) => webhooks.rotateSecret(tx, clientId, id)),
    loadSecret: async (clientId) => (await webhooks.loadSigningSecrets(db, clientId))[0],
    insertTestDelivery: (clientId, id) => deliveries.insertTestDelivery(db, clientId, id),
    listDeliveries: (clientId, filter) => deliveries.listDeliveries(db, clientId, filter),
    replayDelivery: (clientId, id) => inTransaction(db, (tx) => deliveries.replayDelivery(tx, clientId, id)),
  };
}
