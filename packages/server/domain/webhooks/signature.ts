import { createHmac, randomBytes } from "node:crypto";

const SECRET_PREFIX = "whsec_";
const SECRET_BYTES = 32;

export const makeSecret = () => randomBytes(SECRET_BYTES);

/** A secret in the format of Standard Webhooks and its libraries. */
export const toSecretText = (secret: Buffer) => SECRET_PREFIX + secret.toString("base64");

/**
 * The headers of a signed call (https://www.standardwebhooks.com): HMAC-SHA256 over `id.timestamp.body`, once per secret. The body is bytes, so that what is
 * signed is what is sent.
 */
export function makeSignatureHeaders(options: {
  id: string;
  sentAt: Date;
  body: Buffer;
  secrets: readonly Buffer[];
}): Record<string, string> {
  const timestamp = String(Math.floor(options.sentAt.getTime() / 1000));
  const signatures = options.secrets.map((secret) => {
    const hmac = createHmac("sha256", secret).update(`${options.id}.${timestamp}.`).update(options.body);
    return `v1,${hmac.digest("base64")}`;
  });
  return {
    "webhook-id": options.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": signatures.join(" "),
  };
}
