import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import {
  AccountSASPermissions,
  AccountSASResourceTypes,
  AccountSASServices,
  BlobServiceClient,
  generateAccountSASQueryParameters,
  StorageSharedKeyCredential,
} from "@azure/storage-blob";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { findAzureAccount } from "../domain/storage/azure-account.ts";
import type { Bucket } from "../domain/storage/bucket.ts";
import { verifyStorage } from "../domain/storage/verify-storage.ts";
import { makeAddressGuard } from "../net/address-guard.ts";
import { openAzureBucket } from "./azure-bucket.ts";

const ACCOUNT = "stems";
const KEY = randomBytes(64).toString("base64");
const AZURITE = join(import.meta.dirname, "../../../node_modules/azurite/dist/src/blob/main.js");
const guard = makeAddressGuard(["127.0.0.1"]);
let azurite: ChildProcess;
let dir: string;
let endpoint: string;
let service: BlobServiceClient;

/** Azurite takes a free port and prints its address. */
async function readAddress({ stdout }: ChildProcess): Promise<string> {
  let output = "";
  for await (const text of stdout?.iterator({ destroyOnReturn: false }) ?? []) {
    output += text;
    const address = /listens on (http:\S+)/.exec(output)?.[1];
    if (address !== undefined) return address;
  }
  throw new Error(`Azurite ended before it was ready: ${output}`);
}

beforeAll(async () => {
  dir = await makeTempDir("azurite");
  azurite = spawn(
    process.execPath,
    [
      AZURITE,
      "--blobPort",
      "0",
      "--location",
      dir,
      "--silent",
      "--skipApiVersionCheck",
      "--disableTelemetry",
    ],
    { env: { ...process.env, AZURITE_ACCOUNTS: `${ACCOUNT}:${KEY}` }, stdio: ["ignore", "pipe", "ignore"] },
  );
  endpoint = `${await readAddress(azurite)}/${ACCOUNT}`;
  service = new BlobServiceClient(endpoint, new StorageSharedKeyCredential(ACCOUNT, KEY));
  await service.createContainer("music");
});
afterAll(async () => {
  const exited = once(azurite, "exit");
  azurite.kill();
  await exited;
  await guard.close();
  await rm(dir, { recursive: true, force: true });
});

const open = (connectionString: string, container = "music"): Bucket => {
  const account = findAzureAccount({ connectionString });
  if (!account) throw new Error("the connection string can't be read");
  return openAzureBucket(container, account, guard.agents);
};
const withKey = () => open(`AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${endpoint}`);
const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );
const allPassed = ["list", "write", "read", "delete"].map((step) => ({ step, status: "passed" }));

describe("a container of Azure", () => {
  it("[N5] reads ranges of what was written, under any name", async () => {
    const bucket = withKey();
    const key = "a folder/ü + & = % (1).wav";
    await bucket.write(key, Readable.from([Buffer.from("0123456789")]), { type: "audio/wav" });
    const { content, sizeBytes, version } = await bucket.read(key, { startByte: 2, endByte: 4 });
    expect([(await buffer(content)).toString(), sizeBytes]).toEqual(["234", 10]);
    expect((await buffer((await bucket.read(key, { version })).content)).toString()).toBe("0123456789");
    expect(await failureOf(bucket.read(key, { version: '"another"' }))).toMatchObject({ kind: "failed" });
    expect(await bucket.findSize(key)).toBe(10);
    expect(await bucket.findSize("nothing")).toBeUndefined();
    expect(await failureOf(bucket.read("nothing"))).toMatchObject({ kind: "not-found" });
  });

  it("[N7] writes large content in blocks, with its type, and leaves nothing of a failed write", async () => {
    const bucket = withKey();
    const body = randomBytes(20 * 1024 ** 2);
    await bucket.write("large.wav", Readable.from([body]), { type: "audio/wav" });
    const response = await fetch((await bucket.signRead("large.wav", 60)) ?? "");
    expect(response.headers.get("content-type")).toBe("audio/wav");
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true);
    async function* breakOff() {
      yield randomBytes(20 * 1024 ** 2);
      throw new Error("the source broke");
    }
    const broken = bucket.write("broken.wav", Readable.from(breakOff()), { type: "audio/wav" });
    expect(await failureOf(broken)).toMatchObject({ message: "the source broke" });
    for await (const key of bucket.list("broken")) expect(key).toBeUndefined();
  });

  it("[N8] presigns URLs for reading one blob; with only a token it can't", async () => {
    const bucket = withKey();
    await bucket.write("folder/vocals.wav", Readable.from(["sound"]), { type: "audio/wav" });
    const link = (await bucket.signRead("folder/vocals.wav", 3600)) ?? "";
    expect(new URL(link).pathname).toBe(`/${ACCOUNT}/music/folder/vocals.wav`);
    expect(await (await fetch(link)).text()).toBe("sound");
    expect((await fetch(link.replace("vocals", "drums"))).status).toBe(403);
    expect((await fetch(link, { method: "DELETE" })).status).toBe(403);
    expect(
      await open(`SharedAccessSignature=sig=x;BlobEndpoint=${endpoint}`).signRead("x", 60),
    ).toBeUndefined();
  });

  it("[N4] is verified with a key, and with a token", async () => {
    expect(await verifyStorage(async () => withKey())).toEqual({ ok: true, steps: allPassed });
    const token = generateAccountSASQueryParameters(
      {
        expiresOn: new Date(Date.now() + 60_000),
        permissions: AccountSASPermissions.parse("rwdlac"),
        resourceTypes: AccountSASResourceTypes.parse("sco").toString(),
        services: AccountSASServices.parse("b").toString(),
      },
      new StorageSharedKeyCredential(ACCOUNT, KEY),
    ).toString();
    const bucket = open(`SharedAccessSignature=${token};BlobEndpoint=${endpoint}`);
    expect(await verifyStorage(async () => bucket)).toEqual({ ok: true, steps: allPassed });
  });

  it("[N4] reports a wrong key and a missing container", async () => {
    const wrong = open(`AccountName=${ACCOUNT};AccountKey=${btoa("wrong")};BlobEndpoint=${endpoint}`);
    expect(await failureOf(wrong.findSize("x"))).toMatchObject({ kind: "access-denied" });
    const nowhere = open(`AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${endpoint}`, "nowhere");
    const { steps } = await verifyStorage(async () => nowhere);
    expect(steps[0]?.message).toContain("ContainerNotFound");
  });

  it("[N6] connects to no private address that is not on the allow-list", async () => {
    const closed = makeAddressGuard([]);
    const account = findAzureAccount({
      connectionString: `AccountName=${ACCOUNT};AccountKey=${KEY};BlobEndpoint=${endpoint}`,
    });
    if (!account) throw new Error("the connection string can't be read");
    const bucket = openAzureBucket("music", account, closed.agents);
    expect(await failureOf(bucket.read("x"))).toMatchObject({
      kind: "access-denied",
      message: expect.stringContaining("URL_ALLOW_PRIVATE") as string,
    });
    await closed.close();
  });
});
