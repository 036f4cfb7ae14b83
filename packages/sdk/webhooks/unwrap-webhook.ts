import type { Task } from "@stemwright/contract";
import { StemwrightError, WebhookSignatureError } from "../errors.ts";

const TOLERANCE_SECONDS = 300;

/** Fetch headers, or plain objects as in Node, Express and Fastify. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

export type UnwrapOptions = {
  /** Maximum age or clock skew. Default: 300. */
  toleranceSeconds?: number;
};

function getHeader(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== "string" || value === "")
    throw new WebhookSignatureError(`Missing ${name} header: not a signed webhook`);
  return value;
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function importSecret(secret: string) {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ""));
  if (!bytes?.length)
    throw new StemwrightError(
      "Invalid webhook secret: expected whsec_ followed by base64, see client.webhooks.secret()",
    );
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** `<id>.<timestamp>.<body>` */
function makeSignedBytes(prefix: string, body: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(prefix);
  const content = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  return bytes;
}

/**
 * Verifies a webhook (https://www.standardwebhooks.com) and returns its Task. Pass the raw body, before any JSON parser.
 * Rejects with a `WebhookSignatureError` if the signature is invalid.
 *
 * @example
 * const task = await unwrapWebhook(await request.text(), request.headers, process.env.STEMWRIGHT_WEBHOOK_SECRET);
 */
export async function unwrapWebhook<Payload = Task>(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string,
  options: UnwrapOptions = {},
): Promise<Payload> {
  const id = getHeader(headers, "webhook-id");
  const timestamp = getHeader(headers, "webhook-timestamp");
  const signatures = getHeader(headers, "webhook-signature");
  const { toleranceSeconds = TOLERANCE_SECONDS } = options;
  const distanceSeconds = Math.abs(Date.now() / 1000 - Number(timestamp));
  // Negated so that NaN is rejected.
  if (!(distanceSeconds <= toleranceSeconds))
    throw new WebhookSignatureError(
      "Webhook timestamp is outside the tolerance; check the clocks of both machines",
    );
  const key = await importSecret(secret);
  const signed = makeSignedBytes(`${id}.${timestamp}.`, body);
  for (const [version, signature = ""] of signatures.split(" ").map((text) => text.split(","))) {
    const bytes = version === "v1" ? decodeBase64(signature) : undefined;
    // `verify` compares in constant time.
    if (bytes && (await crypto.subtle.verify("HMAC", key, bytes, signed))) {
      const text = typeof body === "string" ? body : new TextDecoder().decode(body);
      return JSON.parse(text) as Payload;
    }
  }
  throw new WebhookSignatureError("No webhook signature matches: the secret is wrong or the call is forged");
}
