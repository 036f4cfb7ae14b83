import { z } from "zod";
import { dateTime, id } from "./id.ts";
import { plainText } from "./plain-text.ts";
import { task } from "./task.ts";

export const webhookRequest = z.object({ url: plainText(4096) }).meta({ id: "WebhookRequest" });
export type WebhookRequest = z.infer<typeof webhookRequest>;

export const webhook = z
  .object({
    id,
    url: z.string(),
    secret: z.string().meta({ description: "Signs each call, as in Standard Webhooks" }),
    enabled: z.boolean(),
    createdAt: dateTime,
    updatedAt: dateTime,
  })
  .meta({ id: "Webhook" });
export type Webhook = z.infer<typeof webhook>;

/** The body of every webhook: the Task as GET /tasks/{id} gives it. */
export const webhookPayload = task;
