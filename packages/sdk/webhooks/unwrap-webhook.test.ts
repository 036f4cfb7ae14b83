import { Webhook as Signer } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { sampleTask } from "../../../test/support/sample-task.ts";
import { Stemwright, unwrapWebhook, WebhookSignatureError } from "../index.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const OTHER_SECRET = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;
const task = sampleTask();
const body = JSON.stringify({ ...task, metadata: "ö\u2028" });

function sign(options: { secret?: string; at?: Date; body?: string } = {}): Record<string, string> {
  const at = options.at ?? new Date();
  return {
    "webhook-id": "d1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Signer(options.secret ?? SECRET).sign("d1", at, options.body ?? body),
  };
}
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);

describe("[W4] unwrap", () => {
  it.each<[string, string | Uint8Array | ArrayBuffer]>([
    ["text", body],
    ["a Buffer", Buffer.from(body)],
    ["an ArrayBuffer", new TextEncoder().encode(body).buffer],
  ])("gives the Task of a call signed as in Standard Webhooks, from %s", async (_name, bytes) => {
    expect(await unwrapWebhook(bytes, sign(), SECRET)).toEqual(JSON.parse(body));
    expect(await unwrapWebhook(bytes, new Headers(sign()), SECRET)).toEqual(JSON.parse(body));
  });

  it("[W5] accepts either signature during a rotation", async () => {
    const signatures = [sign({ secret: OTHER_SECRET }), sign()].map(
      (headers) => headers["webhook-signature"],
    );
    const headers = { ...sign(), "webhook-signature": `v1a,xyz v1,%% ${signatures.join(" ")}` };
    expect(await unwrapWebhook(body, headers, SECRET)).toMatchObject({ id: "t1" });
    expect(await unwrapWebhook(body, headers, OTHER_SECRET)).toMatchObject({ id: "t1" });
  });

  it.each<[string, string, Record<string, string>]>([
    ["another secret", body, sign({ secret: OTHER_SECRET })],
    ["another body", `${body} `, sign()],
    ["another id", body, { ...sign(), "webhook-id": "d2" }],
    ["another time", body, { ...sign(), "webhook-timestamp": String(Math.floor(Date.now() / 1000) - 1) }],
    ["a time long ago", body, sign({ at: minutesAgo(6) })],
    ["a time to come", body, sign({ at: minutesAgo(-6) })],
    ["no time", body, { ...sign(), "webhook-timestamp": "soon" }],
    ["a signature of another version", body, { ...sign(), "webhook-signature": "v2,AAAA" }],
    ["no signature", body, { "webhook-id": "d1", "webhook-timestamp": "1" }],
    ["no headers", body, {}],
  ])("refuses %s", async (_name, text, headers) => {
    await expect(unwrapWebhook(text, headers, SECRET)).rejects.toBeInstanceOf(WebhookSignatureError);
  });

  it("accepts timestamps within the given tolerance", async () => {
    const headers = sign({ at: minutesAgo(6) });
    expect(await unwrapWebhook(body, headers, SECRET, { toleranceSeconds: 600 })).toMatchObject({ id: "t1" });
  });

  it("uses the client's secret by default, and asks for one if there is none", async () => {
    const client = new Stemwright({ baseUrl: "http://a", webhookSecret: SECRET });
    expect(await client.webhooks.unwrap(body, sign())).toMatchObject({ id: "t1" });
    const without = new Stemwright({ baseUrl: "http://a" });
    await expect(without.webhooks.unwrap(body, sign())).rejects.toThrow("Missing webhook secret");
    await expect(without.webhooks.unwrap(body, sign(), "no secret!")).rejects.toThrow(
      "Invalid webhook secret",
    );
  });
});
