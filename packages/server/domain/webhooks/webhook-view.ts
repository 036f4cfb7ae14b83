import type { SentWebhookDelivery, Webhook, WebhookDelivery } from "@stemwright/contract";
import type { DeliveryBody } from "./delivery-body.ts";
import { toSecretText } from "./signature.ts";
import type { DeliveryRecord, WebhookWithSecret } from "./webhook-record.ts";

export function toWebhook(webhook: WebhookWithSecret): Webhook {
  return {
    id: webhook.id,
    url: webhook.url,
    secret: toSecretText(webhook.secret),
    enabled: webhook.isEnabled,
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}

export function toWebhookDelivery(delivery: DeliveryRecord): WebhookDelivery {
  return {
    id: delivery.id,
    event: delivery.event,
    ...(delivery.taskId === undefined ? {} : { taskId: delivery.taskId }),
    ...(delivery.targetId === undefined ? {} : { targetId: delivery.targetId }),
    url: delivery.url,
    state: delivery.state,
    attempts: delivery.attempts,
    createdAt: delivery.createdAt.toISOString(),
    lastAttemptAt: delivery.lastAttemptAt?.toISOString() ?? null,
    nextAttemptAt: delivery.state === "pending" ? delivery.dueAt.toISOString() : null,
    lastStatusCode: delivery.lastStatusCode ?? null,
    lastError: delivery.lastError ?? null,
  };
}

export const toSentWebhookDelivery = ({
  sent,
  ...delivery
}: DeliveryRecord & { sent?: DeliveryBody }): SentWebhookDelivery => ({
  ...toWebhookDelivery(delivery),
  body: sent?.body ?? null,
  answer: sent?.answer ?? null,
});
