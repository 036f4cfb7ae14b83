import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fenceDatabase } from "../../../test/support/fence-database.ts";
import { S3_KEY, S3_REGION, startS3Server } from "../../../test/support/s3-server.ts";
import { startTestApi, type TestApi } from "../../../test/support/test-api.ts";
import { makeDiskRoom } from "./disk-room.ts";
import { makeReadiness } from "./readiness.ts";

const BUCKET = "ready";
let server: Awaited<ReturnType<typeof startS3Server>>;
let api: TestApi;
beforeAll(async () => {
  server = await startS3Server();
  api = await startTestApi({
    S3_BUCKET: BUCKET,
    AWS_ENDPOINT_URL_S3: server.endpoint,
    AWS_REGION: S3_REGION,
    AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
    AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
  });
});
afterAll(async () => {
  await api.close();
  await server.close();
});

const bodyOf = async (response: Response) => ({
  status: response.status,
  ...((await response.json()) as { code?: string; message?: string }),
});

describe("readiness", () => {
  it("[S35] [G8] a database that takes no writes is not ready, and a request that needs them is 503, not 500", async () => {
    const fenced = await startTestApi();
    try {
      await fenceDatabase(fenced.database.url, { isFenced: true });
      await expect.poll(async () => (await fenced.call("/health/ready", { key: null })).status).toBe(503);
      const answers = await Promise.all(Array.from({ length: 20 }, () => fenced.upload("sound", "a.wav")));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
      await fenceDatabase(fenced.database.url, { isFenced: false });
      await expect.poll(async () => (await fenced.call("/health/ready", { key: null })).status).toBe(200);
      await expect.poll(async () => (await fenced.upload("sound", "a.wav")).status).toBe(200);
    } finally {
      await fenced.close();
    }
  });

  it("[F4] a store without its bucket is not ready, and uploads say what to do", async () => {
    const missing = {
      status: 503,
      code: "UNAVAILABLE",
      message: expect.stringContaining("the bucket of S3_BUCKET does not exist"),
    };
    expect(await bodyOf(await api.call("/health/ready", { key: null }))).toMatchObject(missing);
    expect((await api.call("/health/live", { key: null })).status).toBe(200);
    expect(await bodyOf(await api.upload("sound", "a.wav"))).toMatchObject(missing);
    server.addBucket(BUCKET);
    expect((await api.upload("sound", "a.wav")).status).toBe(200);
    await expect.poll(async () => (await api.call("/health/ready", { key: null })).status).toBe(200);
  });

  it("[Q21] [E9] too little free disk is not ready and refuses uploads, until there is room", async () => {
    const full = await startTestApi({ DISK_FREE_MIN_BYTES: String(Number.MAX_SAFE_INTEGER) });
    try {
      const shortage = { status: 503, code: "STORAGE_FULL" };
      const ready = await bodyOf(await full.call("/health/ready", { key: null }));
      expect(ready).toMatchObject(shortage);
      expect(ready.message).toMatch(/^No upload can be stored: the disk is nearly full: \d+ bytes are free/);
      expect(await bodyOf(await full.upload("sound", "a.wav"))).toMatchObject(shortage);
      expect((await full.call("/tasks")).status).toBe(200);
      expect((await full.call("/health/live", { key: null })).status).toBe(200);
      expect(await readdir(join(full.dataDir, "blobs/partial"))).toEqual([]);
    } finally {
      await full.close();
    }
  });

  it("[Q21] [F4] with a bucket the API's own disk does not matter", async () => {
    let looked = 0;
    const room = makeDiskRoom({
      dirs: [],
      minBytes: Number.MAX_SAFE_INTEGER,
      keptStems: { giveUp: async () => looked++ },
      log: { warn: () => {} },
    });
    expect(await room.findShortage()).toBeUndefined();
    expect(looked).toBe(0);
  });

  it("[F4] probes a hanging store once, and answers within two seconds", async () => {
    let asked = 0;
    const store = {
      check() {
        asked += 1;
        return new Promise<void>(() => {});
      },
    };
    const readiness = makeReadiness({
      probe: { isReady: async () => true },
      schema: { findFault: () => undefined },
      store,
      room: { findShortage: async () => undefined },
    });
    const faults = await Promise.all([readiness.findFault(), readiness.findFault()]);
    expect(faults.map((fault) => fault?.name)).toEqual(["StoreOutage", "StoreOutage"]);
    expect(await readiness.findFault()).toBe(faults[0]);
    expect(asked).toBe(1);
  });
});
