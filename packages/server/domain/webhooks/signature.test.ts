import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { makeSecret, makeSignatureHeaders, toSecretText } from "./signature.ts";

const body = Buffer.from('{"metadata":"Ünïcödé 😀"}');

describe("signatures", () => {
  it("[W4] verify with the public library of Standard Webhooks", () => {
    const secret = makeSecret();
    const headers = makeSignatureHeaders({ id: "abc", sentAt: new Date(), body, secrets: [secret] });
    expect(headers["webhook-signature"]).toMatch(/^v1,[A-Za-z0-9+/]{43}=$/);
    const verifier = new Webhook(toSecretText(secret));
    expect(verifier.verify(body, headers)).toEqual({ metadata: "Ünïcödé 😀" });
    expect(() => verifier.verify(Buffer.from('{"metadata":"another"}'), headers)).toThrow();
    expect(() => new Webhook(toSecretText(makeSecret())).verify(body, headers)).toThrow();
  });

  it("[W5] are two while two secrets are valid, and either verifies", () => {
    const secrets = [makeSecret(), makeSecret()];
    const headers = makeSignatureHeaders({ id: "abc", sentAt: new Date(), body, secrets });
    expect(headers["webhook-signature"]?.split(" ")).toHaveLength(2);
    for (const secret of secrets)
      expect(() => new Webhook(toSecretText(secret)).verify(body, headers)).not.toThrow();
  });
});
