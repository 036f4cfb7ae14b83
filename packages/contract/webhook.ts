import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { pageQuery } from "./page.ts";
import { plainText } from "./plain-text.ts";
import { task } from "./task.ts";

export const webhookRequest = z.object({ url: plainText(4096) }).meta({ id: "WebhookRequest" });
export type WebhookRequest = z.infer<typeof webhookRequest>;

const secret = z.string().meta({
  description: "Signs each call, as in Standard Webhooks",
  example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwAbCdEfGhIjI=",
});

export const webhook = z
  .object({
    id,
    url: z.string(),
    secret,
    enabled: z.boolean().meta({ description: "False once the receiver answered 410; POST /webhooks again" }),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: "Webhook" });
export type Webhook = z.infer<typeof webhook>;

export const webhookSecret = z.object({ secret }).meta({ id: "WebhookSecret" });
export type WebhookSecret = z.infer<typeof webhookSecret>;

/** The body of every webhook: the Task as GET /tasks/{id} returns it. */
export const webhookPayload = task;

export const DELIVERY_STATES = ["pending", "delivered", "failed"] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

/** What a delivery reports: the end of a target, a legacy job's new status, or a test. */
export const DELIVERY_EVENTS = ["target", "job", "test"] as const;
export type DeliveryEvent = (typeof DELIVERY_EVENTS)[number];

export const webhookDelivery = z
  .object({
    id: id.meta({ description: "The same in every try: the call's `webhook-id`" }),
    event: z.enum(DELIVERY_EVENTS),
    taskId: z.string().exactOptional(),
    targetId: z.string().exactOptional(),
    url: z.string(),
    state: z.enum(DELIVERY_STATES),
    attempts: z.int().meta({ description: "Attempts so far; at most ten" }),
    createdAt: dateTime,
    lastAttemptAt: dateTime.nullable(),
    nextAttemptAt: dateTime.nullable().meta({ description: "Null unless pending" }),
    lastStatusCode: z
      .int()
      .nullable()
      .meta({ description: "HTTP status of the receiver's response, if any" }),
    lastError: z.string().nullable().meta({ description: "Error of the last attempt" }),
  })
  .meta({ id: "WebhookDelivery" });
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

export const sentWebhookDelivery = webhookDelivery
  .extend({
    body: z.string().nullable().meta({
      description:
        "Body of the last attempt, without the signatures of links, truncated if long; null before the first",
    }),
    answer: z.string().nullable().meta({ description: "Start of the response body, if any" }),
  })
  .meta({ id: "SentWebhookDelivery", description: "A delivery with its request and response" });
export type SentWebhookDelivery = z.infer<typeof sentWebhookDelivery>;

export const deliveriesQuery = pageQuery.extend({
  taskId: plainText(60).exactOptional(),
  state: z.enum(DELIVERY_STATES).exactOptional(),
});
export type DeliveryFilter = z.output<typeof deliveriesQuery>;
