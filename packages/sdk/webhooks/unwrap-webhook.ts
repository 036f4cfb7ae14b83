import type { Task } from "@stemwright/contract";
import { StemwrightError, WebhookSignatureError } from "../errors.ts";

const TOLERANCE_SECONDS = 300;

/** Headers as fetch has them, or as Node, Express and Fastify do. */
export type WebhookHeaders = Headers | Record<string, string | readonly string[] | undefined>;

export type UnwrapOptions = {
  /** How far the call's time may be from now, in seconds; five minutes by default. */
  toleranceSeconds?: number;
};

function getHeader(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : headers[name];
  if (typeof value !== "string" || value === "")
    throw new WebhookSignatureError(`The call has no ${name} header: it is not a signed webhook`);
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
      "The webhook secret is not one: it is whsec_ and base64, from client.webhooks.secret()",
    );
  return crypto.subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
}

/** `<id>.<timestamp>.<body>`, the body byte for byte. */
function makeSignedBytes(prefix: string, body: string | Uint8Array | ArrayBuffer): Uint8Array<ArrayBuffer> {
  const head = new TextEncoder().encode(prefix);
  const content = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  return bytes;
}

/**
 * Verifies a webhook call as https://www.standardwebhooks.com has it, and gives the Task it tells of. The body is what
 * came, byte for byte, before any JSON parser. Rejects with a `WebhookSignatureError` what is not from the service.
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
  // Written so that a time that is no number is refused.
  if (!(distanceSeconds <= toleranceSeconds))
    throw new WebhookSignatureError("The call's time is too far from this machine's; are both clocks right?");
  const key = await importSecret(secret);
  const signed = makeSignedBytes(`${id}.${timestamp}.`, body);
  for (const [version, signature = ""] of signatures.split(" ").map((text) => text.split(","))) {
    const bytes = version === "v1" ? decodeBase64(signature) : undefined;
    // `verify` takes the same time for every signature.
    if (bytes && (await crypto.subtle.verify("HMAC", key, bytes, signed))) {
      const text = typeof body === "string" ? body : new TextDecoder().decode(body);
      return JSON.parse(text) as Payload;
    }
  }
  throw new WebhookSignatureError(
    "No signature of the call holds: it is not from the service, or the secret is another",
  );
}
