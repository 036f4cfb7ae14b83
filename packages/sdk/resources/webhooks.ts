import type {
  DeliveryState,
  SentWebhookDelivery,
  Task,
  Webhook,
  WebhookDelivery,
  WebhookSecret,
} from "@stemwright/contract";
import { StemwrightError } from "../errors.ts";
import { type Listing, type ListQuery, makeListing } from "../http/listing.ts";
import { route } from "../http/route.ts";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";
import { type UnwrapOptions, unwrapWebhook, type WebhookHeaders } from "../webhooks/unwrap-webhook.ts";

export type DeliveryQuery = ListQuery & { taskId?: string; state?: DeliveryState };

/** The delivery log. */
export class Deliveries {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All deliveries in the log, newest first. */
  list(query: DeliveryQuery = {}, options?: RequestOptions): Listing<WebhookDelivery> {
    return makeListing(this.#transport, { path: "/webhooks/deliveries", query }, options);
  }

  /** A delivery with what its last try sent and how the receiver answered. */
  get(id: string, options?: RequestOptions): Promise<SentWebhookDelivery> {
    return this.#transport.load({ method: "GET", path: route`/webhooks/deliveries/${id}` }, options);
  }

  /** Sends a delivery again, with the same `webhook-id`. */
  replay(id: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#transport.load({ method: "POST", path: route`/webhooks/deliveries/${id}/replay` }, options);
  }
}

/** The account's webhook, and verification of its calls. */
export class Webhooks {
  readonly deliveries: Deliveries;
  readonly #transport: Transport;
  readonly #secret: string | undefined;

  constructor(transport: Transport, secret: string | undefined) {
    this.deliveries = new Deliveries(transport);
    this.#transport = transport;
    this.#secret = secret;
  }

  /** Sets the account's webhook URL, replacing and re-enabling an existing one. */
  set(url: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.load({ method: "POST", path: "/webhooks", json: { url } }, options);
  }

  /** The account's webhook, if it has one. */
  list(options?: RequestOptions): Promise<Webhook[]> {
    return this.#transport.load({ method: "GET", path: "/webhooks" }, options);
  }

  /** The account's signing secret, also used for the `webhookUrl` of Tasks. */
  async secret(options?: RequestOptions): Promise<string> {
    const call = { method: "GET", path: "/webhooks/secret" } as const;
    return (await this.#transport.load<WebhookSecret>(call, options)).secret;
  }

  delete(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.load({ method: "DELETE", path: route`/webhooks/${id}` }, options);
  }

  /** Creates a new secret; the old one keeps signing for 24 hours. */
  rotateSecret(id: string, options?: RequestOptions): Promise<Webhook> {
    return this.#transport.load({ method: "POST", path: route`/webhooks/${id}/rotate-secret` }, options);
  }

  /** Sends a sample Task once. */
  test(id: string, options?: RequestOptions): Promise<WebhookDelivery> {
    return this.#transport.load({ method: "POST", path: route`/webhooks/${id}/test` }, options);
  }

  /**
   * Verifies a webhook and returns its Task; rejects with a `WebhookSignatureError` if the signature is invalid. Pass the raw
   * body, before any JSON parser. The secret defaults to the client's `webhookSecret`.
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
        "Missing webhook secret: pass it, set webhookSecret or STEMWRIGHT_WEBHOOK_SECRET",
      );
    return await unwrapWebhook<Payload>(body, headers, secret, options);
  }
}
