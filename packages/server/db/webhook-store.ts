import type { WebhookStore } from "../domain/ports.ts";
import type { Database } from "./database.ts";
import * as deliveries from "./deliveries.ts";
import * as webhooks from "./webhooks.ts";

/** The account's webhook and its log over the database; what changes more than one row does so in one transaction. */
export function makeWebhookStore(db: Database): WebhookStore {
  const together = db.transaction();
  return {
    setWebhook: (clientId, url) => together.execute((tx) => webhooks.setWebhook(tx, clientId, url)),
    findWebhook: (clientId) => webhooks.findWebhook(db, clientId),
    deleteWebhook: (clientId, id) => together.execute((tx) => webhooks.deleteWebhook(tx, clientId, id)),
    rotateSecret: (clientId, id) => together.execute((tx) => webhooks.rotateSecret(tx, clientId, id)),
    loadSecret: async (clientId) => (await webhooks.loadSigningSecrets(db, clientId))[0],
    insertTestDelivery: (clientId, id) => deliveries.insertTestDelivery(db, clientId, id),
    listDeliveries: (clientId, filter) => deliveries.listDeliveries(db, clientId, filter),
    replayDelivery: (clientId, id) => together.execute((tx) => deliveries.replayDelivery(tx, clientId, id)),
  };
}
