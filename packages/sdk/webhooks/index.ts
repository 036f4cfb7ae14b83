export { WebhookSignatureError } from "../errors.ts";
export { expressWebhook, fastifyWebhook, honoWebhook, nextWebhook, type WebhookOptions } from "./handlers.ts";
export { type UnwrapOptions, unwrapWebhook, type WebhookHeaders } from "./unwrap-webhook.ts";
