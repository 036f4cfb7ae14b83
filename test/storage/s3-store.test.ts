import { randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openS3Blobs } from "../../packages/server/blobs/s3-blobs.ts";
import { openS3Bucket } from "../../packages/server/buckets/s3-bucket.ts";
import type { Blobs } from "../../packages/server/domain/ports.ts";
import type { Bucket } from "../../packages/server/domain/storage/bucket.ts";
import { verifyStorage } from "../../packages/server/domain/storage/verify-storage.ts";
import { makeTempDir } from "../support/temp-dir.ts";
import { openTestStore, type TestStore } from "../support/test-store.ts";

const MIB = 1024 ** 2;
let store: TestStore;
let bucket: Bucket;
const open = (options: Partial<Parameters<typeof openS3Bucket>[0]> = {}) => {
  const { endpoint, region, credentials } = store;
  return openS3Bucket({ bucket: "music", endpoint, region, credentials, forcePathStyle: true, ...options });
};
beforeAll(async () => {
  store = await openTestStore();
  await store.addBucket("music");
  bucket = open();
});
afterAll(() => store.close());

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const listKeys = async (prefix: string) => {
  const keys: string[] = [];
  for await (const key of bucket.list(prefix)) keys.push(key);
  return keys;
};

describe("a customer's bucket in an S3 store", () => {
  it("[N5] reads ranges of what was written, under any name", async () => {
    const key = "a folder/ü + & = % ~ (1)'!*.wav";
    await bucket.write(key, Readable.from([Buffer.from("0123456789")]), { type: "audio/wav" });
    const { content, sizeBytes, version } = await bucket.read(key, { startByte: 2, endByte: 4 });
    expect([(await buffer(content)).toString(), sizeBytes]).toEqual(["234", 10]);
    const whole = await bucket.read(key, { version });
    expect((await buffer(whole.content)).toString()).toBe("0123456789");
    expect(await failureOf(bucket.read(key, { version: `"${"0".repeat(32)}"` }))).toMatchObject({
      kind: "failed",
    });
    expect(await bucket.findSize(key)).toBe(10);
    expect(await listKeys("a folder/")).toEqual([key]);
    await bucket.delete(key);
    expect(await bucket.findSize(key)).toBeUndefined();
  });

  it("[N7] writes large content in parts, with its type, and leaves nothing of a failed write", async () => {
    const body = randomBytes(20 * MIB);
    await bucket.write("large.wav", Readable.from([body]), { type: "audio/wav" });
    const link = (await bucket.signRead("large.wav", 60)) ?? "";
    const response = await fetch(link);
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);

    async function* breakOff() {
      yield randomBytes(20 * MIB);
      throw new Error("the source broke");
    }
    const broken = Readable.from(breakOff());
    expect(await failureOf(bucket.write("broken.wav", broken, { type: "audio/wav" }))).toMatchObject({
      message: "the source broke",
    });
    await expect.poll(() => store.countUploads("music")).toBe(0);
    expect(await listKeys("broken")).toEqual([]);
  });

  it("[N8] presigns URLs for reading one object, valid as long as they say", async () => {
    await bucket.write("folder/vocals.wav", Readable.from(["sound"]), { type: "audio/wav" });
    const link = (await bucket.signRead("folder/vocals.wav", 3600)) ?? "";
    const response = await fetch(link, { headers: { range: "bytes=1-2" } });
    expect([response.status, await response.text()]).toEqual([206, "ou"]);
    expect((await fetch(link.replace("vocals", "drums"))).status).toBe(403);
    expect((await fetch(link, { method: "PUT", body: "x" })).status).toBe(403);
    const short = (await bucket.signRead("folder/vocals.wav", 1)) ?? "";
    await new Promise((resolve) => setTimeout(resolve, 2100));
    expect((await fetch(short)).status).toBe(403);
  });

  it("[N4] is verified by listing, writing, reading and deleting", async () => {
    const passed = (step: string) => ({ step, status: "passed" });
    expect(await verifyStorage(async () => bucket)).toEqual({
      ok: true,
      steps: [passed("list"), passed("write"), passed("read"), passed("delete")],
    });
    expect(await listKeys("stemwright-verify")).toEqual([]);
    const { accessKeyId } = store.credentials;
    const wrong = open({ credentials: { accessKeyId, secretAccessKey: "wrong" } });
    const report = await verifyStorage(async () => wrong);
    expect(report.ok).toBe(false);
    expect(report.steps.map(({ status }) => status)).toEqual(["failed", "failed", "skipped", "skipped"]);
    expect(report.steps[1]?.message).toContain("SignatureDoesNotMatch");
    const nowhere = open({ bucket: "nowhere" });
    expect((await verifyStorage(async () => nowhere)).steps[1]?.message).toContain("NoSuchBucket");
  });
});

describe("our own store in S3", () => {
  let blobs: Blobs;
  let dir: string;
  beforeAll(async () => {
    dir = await makeTempDir("s3-blobs");
    const { endpoint, region, credentials } = store;
    const place = { bucket: "music", endpoint, region, credentials, forcePathStyle: true };
    blobs = await openS3Blobs({ place, prefix: "context/", tempDir: join(dir, "lent") });
  });

  it("[F1] stores streams and files under its prefix, and returns them whole or in part", async () => {
    const body = randomBytes(9 * MIB);
    expect(await blobs.write("assets/a/x.wav", Readable.from([body]))).toEqual({ sizeBytes: body.length });
    expect(await listKeys("context/")).toEqual(["context/assets/a/x.wav"]);
    expect(await blobs.findSize("assets/a/x.wav")).toBe(body.length);
    const part = await buffer(await blobs.read("assets/a/x.wav", { startByte: 5, endByte: 9 }));
    expect(part.equals(body.subarray(5, 10))).toBe(true);
    await writeFile(join(dir, "made"), "stem");
    expect(await blobs.adopt("outputs/t/u/vocals.wav", join(dir, "made"))).toEqual({ sizeBytes: 4 });
    await blobs.copyTo("outputs/t/u/vocals.wav", join(dir, "copy"));
    const lent = await blobs.withLocalFile("outputs/t/u/vocals.wav", async (path) => path);
    expect(lent.startsWith(dir)).toBe(true);
    await blobs.delete("outputs/t");
    await blobs.delete("assets/a/x.wav");
    expect(await listKeys("context/")).toEqual([]);
    expect(await blobs.findSize("assets/a/x.wav")).toBeUndefined();
  });

  it("[F2] an upload over the limit, or cut short, leaves nothing", async () => {
    const tooLarge = blobs.write("assets/b/x.wav", Readable.from([randomBytes(20 * MIB)]), {
      maxBytes: 18 * MIB,
    });
    expect(await failureOf(tooLarge)).toMatchObject({ code: "UPLOAD_TOO_LARGE" });
    async function* cutShort() {
      yield randomBytes(20 * MIB);
      throw new Error("Unexpected end of form");
    }
    expect(await failureOf(blobs.write("assets/b/x.wav", Readable.from(cutShort())))).toMatchObject({
      message: "Unexpected end of form",
    });
    await expect.poll(() => store.countUploads("music")).toBe(0);
    expect(await listKeys("context/")).toEqual([]);
  });
});
