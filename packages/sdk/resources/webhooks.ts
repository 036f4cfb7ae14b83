import type { DeliveryState, Task, Webhook, WebhookDelivery, WebhookSecret } from "@stemwright/contract";
import { StemwrightError } from "../errors.ts";
import { type Listing, type ListQuery, makeListing } from "../http/listing.ts";
import { route } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import { type UnwrapOptions, unwrapWebhook, type WebhookHeaders } from "../webhooks/unwrap-webhook.ts";

export type DeliveryQuery = ListQuery & { taskId?: string; state?: DeliveryState };

/** The calls that were made to webhooks, or are to be. */
export class Deliveries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All deliveries that are still in the log, newest first. */
  list(query: DeliveryQuery = {}, options?: RequestOptions): Listing<WebhookDelivery> {
    return makeListing(this.#transport, { path: "/webhooks/deliveries", query }, options);
  }

  /** Sends one again, with the same `webhook-id`. */
  replay(id: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#transport.load({ method: "POST", path: route`/webhooks/deliveries/${id}/replay` }, options);
  }
}

/** Calls that tell of finished targets. */
export class Webhooks {
  readonly deliveries: Deliveries;
  readonly #transport: Transport;
  readonly #secret: string | undefined;

  constructor(transport: Transport, secret: string | undefined) {
    this.deliveries = new Deliveries(transport);
    this.#transport = transport;
    this.#secret = secret;
  }

  /** Sets the account's one URL; again: gives it another, and enables it again. */
  set(url: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.load({ method: "POST", path: "/webhooks", json: { url } }, options);
  }

  /** The account's webhook, or nothing. */
  list(options?: RequestOptions): Promise<Webhook[]> {
    return this.#transport.load({ method: "GET", path: "/webhooks" }, options);
  }

  /** What calls are signed with, also those to the `webhookUrl` of a Task. */
  async secret(options?: RequestOptions): Promise<string> {
    const call = { method: "GET", path: "/webhooks/secret" } as const;
    return (await this.#transport.load<WebhookSecret>(call, options)).secret;
  }

  delete(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.load({ method: "DELETE", path: route`/webhooks/${id}` }, options);
  }

  /** Makes a new secret; the one before signs too for 24 hours. */
  rotateSecret(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.load({ method: "POST", path: route`/webhooks/${id}/rotate-secret` }, options);
  }

  /** Sends a sample Task, once. */
  test(id: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#transport.load({ method: "POST", path: route`/webhooks/${id}/test` }, options);
  }

  /**
   * Verifies a call and gives the Task it tells of; rejects with a `WebhookSignatureError` what is not from the service.
   * The body is what came, before any JSON parser. The secret is the client's `webhookSecret` where none is given.
   *
   * @example
   * const task = await client.webhooks.unwrap(await request.text(), request.headers);
   */
  async unwrap<Payload = Task>(
    body: string | Uint8Array | ArrayBuffer,
    headers: WebhookHeaders,
    secret: string | undefined = this.#secret,
    options?: UnwrapOptions,
  ): Promise<Payload> {
    if (secret === undefined)
      throw new StemwrightError(
        "Give the webhook secret, as an argument, as webhookSecret or in STEMWRIGHT_WEBHOOK_SECRET",
      );
    return await unwrapWebhook<Payload>(body, headers, secret, options);
  }
}
