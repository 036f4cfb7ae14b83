import { generateKeyPairSync, randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GcsServer, startGcsServer } from "../../../test/support/gcs-server.ts";
import { verifyStorage } from "../domain/storage/verify-storage.ts";
import { openGcsBucket } from "./gcs-bucket.ts";

let server: GcsServer;
beforeAll(async () => {
  server = await startGcsServer();
});
afterAll(() => server.close());

const open = (key: object = {}, bucket = "music") => {
  const serviceAccountKey = { ...server.serviceAccountKey, ...key };
  return openGcsBucket(bucket, { serviceAccountKey }, { apiEndpoint: server.endpoint });
};
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("a bucket of Google Cloud Storage", () => {
  it("[N5] reads ranges of what was written, under any name", async () => {
    const bucket = open();
    const key = "a folder/ü + & = (1).wav";
    await bucket.write(key, Readable.from([Buffer.from("0123456789")]), { type: "audio/wav" });
    const { content, sizeBytes, version } = await bucket.read(key, { startByte: 2, endByte: 4 });
    expect([(await buffer(content)).toString(), sizeBytes]).toEqual(["234", 10]);
    expect((await buffer((await bucket.read(key, { version })).content)).toString()).toBe("0123456789");
    expect(await failureOf(bucket.read(key, { version: "99" }))).toMatchObject({ kind: "failed" });
    expect(await bucket.findSize(key)).toBe(10);
    expect(await bucket.findSize("nothing")).toBeUndefined();
    expect(await failureOf(bucket.read("nothing"))).toMatchObject({ kind: "not-found" });
  });

  it("[N7] writes large content in parts, with its type, and leaves nothing of a failed write", async () => {
    const bucket = open();
    const body = randomBytes(10 * 1024 ** 2);
    await bucket.write("large.wav", Readable.from([body]), { type: "audio/wav" });
    expect(server.objects.get("large.wav")?.body.equals(body)).toBe(true);
    expect(server.objects.get("large.wav")?.type).toBe("audio/wav");
    async function* breakOff() {
      yield randomBytes(10 * 1024 ** 2);
      throw new Error("the source broke");
    }
    const broken = bucket.write("broken.wav", Readable.from(breakOff()), { type: "audio/wav" });
    expect(await failureOf(broken)).toMatchObject({ message: "the source broke" });
    expect(server.objects.has("broken.wav")).toBe(false);
  });

  it("[N8] presigns URLs for reading one object", async () => {
    const bucket = open();
    await bucket.write("folder/vocals.wav", Readable.from([Buffer.from("sound")]), { type: "audio/wav" });
    const link = (await bucket.signRead("folder/vocals.wav", 3600)) ?? "";
    expect(link.startsWith(`${server.endpoint}/music/folder/vocals.wav?`)).toBe(true);
    expect(await (await fetch(link)).text()).toBe("sound");
    expect((await fetch(link.replace("vocals", "drums"))).status).toBe(403);
  });

  it("[N4] is verified, and reports a wrong key and a missing bucket", async () => {
    expect(await verifyStorage(async () => open())).toMatchObject({ ok: true });
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const wrong = open({ private_key: privateKey.export({ type: "pkcs8", format: "pem" }) });
    expect(await failureOf(wrong.findSize("x"))).toMatchObject({ kind: "access-denied" });
    const { steps } = await verifyStorage(async () => open({}, "nowhere"));
    expect(steps[0]).toMatchObject({
      status: "failed",
      message: expect.stringContaining("bucket") as string,
    });
  });

  it("[N4] reports that workload identity needs the installation's own identity", async () => {
    const audience = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/q";
    const { steps } = await verifyStorage(async () =>
      openGcsBucket("music", { workloadIdentity: { audience } }, {}),
    );
    expect(steps[0]?.message).toContain("GCP_IDENTITY_TOKEN_FILE");
  });
});
