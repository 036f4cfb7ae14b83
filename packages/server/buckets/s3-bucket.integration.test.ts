import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { S3Bucket } from "../../../test/support/s3-objects.ts";
import { S3_KEY, S3_REGION, type S3Server, startS3Server } from "../../../test/support/s3-server.ts";
import { startSelfSignedServer } from "../../../test/support/self-signed-server.ts";
import { type Bucket, BucketError } from "../domain/storage/bucket.ts";
import { makeAddressGuard } from "../net/address-guard.ts";
import { openAwsBucket } from "./aws-bucket.ts";
import { openS3Bucket, type S3BucketOptions, type S3Credentials } from "./s3-bucket.ts";

let server: S3Server;
let stored: S3Bucket;
const guard = makeAddressGuard(["127.0.0.1"]);
beforeAll(async () => {
  server = await startS3Server();
});
beforeEach(() => {
  stored = server.addBucket("music");
  server.faults.refuseParts = false;
});
afterAll(async () => {
  await guard.close();
  await server.close();
});

const open = (options: Partial<S3BucketOptions> = {}) =>
  openS3Bucket({
    bucket: "music",
    region: S3_REGION,
    endpoint: server.endpoint,
    forcePathStyle: true,
    credentials: S3_KEY,
    agents: guard.agents,
    ...options,
  });
const write = (bucket: Bucket, key: string, body: Buffer) =>
  bucket.write(key, Readable.from([body]), { type: "audio/wav" });
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe("an S3 bucket", () => {
  it("[N5] reads a range of an object, and returns its full size", async () => {
    const bucket = open();
    await write(bucket, "a b/ü+&=.wav", Buffer.from("0123456789"));
    const { content, sizeBytes, version } = await bucket.read("a b/ü+&=.wav", { startByte: 2, endByte: 4 });
    expect((await buffer(content)).toString()).toBe("234");
    expect(sizeBytes).toBe(10);
    expect(await failureOf(bucket.read("a b/ü+&=.wav", { version: '"another"' }))).toMatchObject({
      kind: "failed",
    });
    expect(version).toMatch(/^"\w{32}"$/);
    expect(await bucket.findSize("a b/ü+&=.wav")).toBe(10);
    expect(await bucket.findSize("nothing")).toBeUndefined();
    const keys: string[] = [];
    for await (const key of bucket.list("a b/")) keys.push(key);
    expect(keys).toEqual(["a b/ü+&=.wav"]);
    await bucket.delete("a b/ü+&=.wav");
    expect(stored.objects.size).toBe(0);
  });

  it("[N7] writes large content in parts, with its type", async () => {
    const body = randomBytes(20 * 1024 ** 2);
    await write(open(), "large.wav", body);
    const object = stored.objects.get("large.wav");
    expect(object?.body.equals(body)).toBe(true);
    expect(object?.type).toBe("audio/wav");
    expect(object?.etag).toMatch(/-4"$/);
  });

  it("[N7] a failed or aborted write leaves nothing", async () => {
    server.faults.refuseParts = true;
    const failure = await failureOf(write(open(), "large.wav", randomBytes(20 * 1024 ** 2)));
    expect(failure).toBeInstanceOf(BucketError);
    expect(failure).toMatchObject({ kind: "access-denied" });
    server.faults.refuseParts = false;

    async function* breakOff() {
      yield randomBytes(20 * 1024 ** 2);
      throw new Error("the source broke");
    }
    const broken = Readable.from(breakOff());
    expect(await failureOf(open().write("large.wav", broken, { type: "audio/wav" }))).toMatchObject({
      message: "the source broke",
    });

    const stop = new AbortController();
    async function* stall() {
      yield randomBytes(20 * 1024 ** 2);
      stop.abort(new Error("told to stop"));
      await wait(50);
      yield Buffer.from("more");
    }
    const stopped = Readable.from(stall());
    expect(
      await failureOf(open().write("large.wav", stopped, { type: "audio/wav", signal: stop.signal })),
    ).toMatchObject({ message: "told to stop" });
    await expect.poll(() => stored.uploads.size).toBe(0);
    expect(stored.objects.size).toBe(0);
  });

  it("[N8] presigns URLs that anybody can read, for the given time only", async () => {
    const bucket = open();
    await write(bucket, "folder/vocals.wav", Buffer.from("sound"));
    const link = (await bucket.signRead("folder/vocals.wav", 3600)) ?? "";
    expect(new URL(link).pathname).toBe("/music/folder/vocals.wav");
    expect(new URL(link).searchParams.get("X-Amz-Expires")).toBe("3600");
    const response = await fetch(link, { headers: { range: "bytes=1-2" } });
    expect([response.status, await response.text()]).toEqual([206, "ou"]);
    expect((await fetch(link.replace("vocals", "drums"))).status).toBe(403);
    expect((await fetch(link, { method: "PUT", body: "x" })).status).toBe(403);
  });

  it.each([
    {
      what: "a wrong secret",
      options: { credentials: { ...S3_KEY, secretAccessKey: "wrong" } },
      kind: "access-denied",
      says: "SignatureDoesNotMatch",
    },
    {
      what: "an unknown key",
      options: { credentials: { accessKeyId: "AKIAUNKNOWN", secretAccessKey: "x" } },
      kind: "access-denied",
      says: "InvalidAccessKeyId",
    },
    {
      what: "a bucket that is not there",
      options: { bucket: "nowhere" },
      kind: "not-found",
      says: "NoSuchBucket",
    },
    {
      what: "a server that is not there",
      options: { endpoint: "http://127.0.0.1:1" },
      kind: "failed",
      says: "ECONNREFUSED",
    },
  ])("[N4] tells $what", async ({ options, kind, says }) => {
    const failure = await failureOf(write(open(options), "x", Buffer.from("x")));
    expect(failure).toMatchObject({ kind, message: expect.stringContaining(says) as string });
  });

  it("[T18] reports a certificate that the operator has to trust", async () => {
    await using secure = await startSelfSignedServer();
    expect(await failureOf(open({ endpoint: secure.origin }).findSize("x"))).toMatchObject({
      kind: "not-set-up",
      message: expect.stringContaining("NODE_EXTRA_CA_CERTS") as string,
    });
  });

  it("[T16] marks transient failures", async () => {
    const gone = await failureOf(open({ endpoint: "http://127.0.0.1:1" }).findSize("x"));
    expect(gone).toMatchObject({ kind: "failed", isTransient: true });
    const refused = open({ credentials: { ...S3_KEY, secretAccessKey: "wrong" } }).findSize("x");
    expect(await failureOf(refused)).toMatchObject({ isTransient: false });
  });

  it("[N6] connects to no private address that is not on the allow-list, by number or by name", async () => {
    const closed = makeAddressGuard([]);
    for (const [host, kind] of [
      ["127.0.0.1", "access-denied"],
      ["localhost", "failed"],
    ] as const) {
      const endpoint = server.endpoint.replace("127.0.0.1", host);
      const before = server.requests.length;
      const failure = await failureOf(open({ endpoint, agents: closed.agents }).findSize("x"));
      expect(failure).toMatchObject({
        kind,
        message: expect.stringContaining("URL_ALLOW_PRIVATE") as string,
      });
      expect(server.requests.length).toBe(before);
    }
    await closed.close();
  });
});

describe("a bucket behind a role", () => {
  const roleArn = "arn:aws:iam::123456789012:role/stems";
  const openRole = (externalId: string) =>
    openAwsBucket(
      "music",
      { roleArn, region: S3_REGION, externalId },
      { ownCredentials: S3_KEY, stsEndpoint: server.endpoint, s3Endpoint: server.endpoint },
    );

  it("[N3] is opened with its integration's external id, and with short-lived credentials", async () => {
    server.roles.push({ roleArn, externalId: "the-right-one" });
    const bucket = openRole("the-right-one");
    const before = server.requests.filter((line) => line === "POST /").length;
    await write(bucket, "x.wav", Buffer.from("sound"));
    expect(await bucket.findSize("x.wav")).toBe(5);
    const link = (await bucket.signRead("x.wav", 3600)) ?? "";
    expect(new URL(link).searchParams.get("X-Amz-Security-Token")).toBeTruthy();
    expect(await (await fetch(link)).text()).toBe("sound");
    // One session serves them all.
    expect(server.requests.filter((line) => line === "POST /").length - before).toBe(1);
  });

  it("[N8] presigns URLs with the current session", async () => {
    let sessionToken = "first";
    const sessions = new Map<string, S3Credentials>();
    const linkCredentials = async () => {
      const session = sessions.get(sessionToken) ?? { ...S3_KEY, sessionToken };
      sessions.set(sessionToken, session);
      return session;
    };
    const bucket = openS3Bucket({ bucket: "music", region: S3_REGION, linkCredentials });
    const findToken = async () =>
      new URL((await bucket.signRead("x.wav", 3600)) ?? "").searchParams.get("X-Amz-Security-Token");
    expect(await Promise.all([findToken(), findToken()])).toEqual(["first", "first"]);
    sessionToken = "second";
    expect(await findToken()).toBe("second");
  });

  it("[T18] needs the operator if the installation's own credentials are missing or refused", async () => {
    // No credentials in the environment, in files or on the machine.
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"])
      vi.stubEnv(name, undefined);
    for (const name of ["AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"]) vi.stubEnv(name, "/nowhere");
    const open = (ownCredentials?: S3Credentials) =>
      openAwsBucket(
        "music",
        { roleArn, region: S3_REGION, externalId: "any" },
        { ownCredentials, stsEndpoint: server.endpoint, s3Endpoint: server.endpoint },
      );
    expect(await failureOf(open().findSize("x.wav"))).toMatchObject({
      kind: "not-set-up",
      message: expect.stringContaining("AWS_ACCESS_KEY_ID") as string,
    });
    vi.unstubAllEnvs();
    expect(await failureOf(open({ ...S3_KEY, secretAccessKey: "old" }).findSize("x.wav"))).toMatchObject({
      kind: "not-set-up",
      message: expect.stringContaining("SignatureDoesNotMatch") as string,
    });
  });

  it("[N3] is refused with another external id", async () => {
    expect(await failureOf(openRole("another").findSize("x.wav"))).toMatchObject({
      kind: "access-denied",
      message: expect.stringContaining("AssumeRole") as string,
    });
  });
});
