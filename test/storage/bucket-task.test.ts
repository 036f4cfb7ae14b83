import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { StorageIntegration, Task } from "@stemwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openFileBlobs } from "../../packages/server/blobs/file-blobs.ts";
import { makeTaskReports } from "../../packages/server/db/tasks/make-task-reports.ts";
import { listSources } from "../../packages/server/db/tasks/task-source-rows.ts";
import type { AssetStore } from "../../packages/server/domain/ports.ts";
import { makeLog } from "../../packages/server/log/make-log.ts";
import { type AddressGuard, makeAddressGuard } from "../../packages/server/net/address-guard.ts";
import { runClaimedTask } from "../../packages/server/worker/runs/run-claimed-task.ts";
import { takeTask } from "../support/begin-run.ts";
import type { S3Bucket } from "../support/s3-objects.ts";
import { S3_KEY, S3_REGION, type S3Server, startS3Server } from "../support/s3-server.ts";
import { startTestApi, type TestApi } from "../support/test-api.ts";
import { makeTestStorage } from "../support/test-storage.ts";
import { listTestPaths } from "../support/test-worker.ts";
import { withoutLimits } from "../support/without-limits.ts";

const MAX_INPUT_BYTES = 2 * 1024 ** 2;
/** Written in two parts. */
const LARGE_BYTES = 9 * 1024 ** 2;
let api: TestApi;
let server: S3Server;
let guard: AddressGuard;
let bucket: S3Bucket;
let storageIntegrationId: string;
let input: Buffer;
let outputBytes: number;
let seen: Buffer | undefined;
let seenTranscript: Buffer | undefined;

beforeAll(async () => {
  server = await startS3Server();
  api = await startTestApi({ URL_ALLOW_PRIVATE: "127.0.0.1" });
  guard = makeAddressGuard(["127.0.0.1"]);
});
afterAll(async () => {
  await guard.close();
  await api.close();
  await server.close();
});
beforeEach(async () => {
  for (const fault of ["cutReadsAfterBytes", "refuseWrites", "refuseParts"] as const)
    delete server.faults[fault];
  bucket = server.addBucket("music");
  input = randomBytes(1024 ** 2);
  bucket.objects.set("in/song.wav", { body: input, type: "audio/wav", etag: '"one"' });
  outputBytes = 1000;
  seen = undefined;
  const authConfig = { endpoint: server.endpoint, region: S3_REGION, ...S3_KEY };
  const response = await api.post("/storage-integrations", { type: "s3", storageName: "music", authConfig });
  storageIntegrationId = ((await response.json()) as StorageIntegration).id;
});

/** Runs a Task like a worker, with the real database and stores; only the network is fake. */
async function work(taskId: string): Promise<void> {
  const { db } = api.database;
  await runClaimedTask(
    {
      ...makeTestStorage({ db, guard, dataDir: api.dataDir }),
      guard,
      blobs: await openFileBlobs(join(api.dataDir, "blobs")),
      assets: { findAsset: async () => undefined } as unknown as AssetStore,
      sources: { listSources: (taskId) => listSources(db, taskId) },
      fetchDelaysMs: [10, 20],
      credits: { hasReservations: async () => false, coverMinutes: async (_task, minutes) => minutes },
      ...withoutLimits,
      maxBytes: MAX_INPUT_BYTES,
      workDir: join(api.dataDir, "work"),
      hasPreviews: false,
      log: makeLog({ logLevel: "silent", logFile: undefined }, "worker"),
      engine: {
        async run(request, hooks = {}) {
          seen = await readFile(request.inputPath);
          const [target] = request.targets;
          if (target?.kind === "text" && target.transcriptPath !== undefined)
            seenTranscript = await readFile(target.transcriptPath);
          for (const target of request.targets) {
            for (const path of listTestPaths(target)) await writeFile(path, randomBytes(outputBytes));
            await hooks.onTargetDone?.(target.key, { durationSeconds: 61 });
          }
        },
      },
      reports: makeTaskReports(db),
      isLong: () => false,
    },
    await takeTask(db, taskId),
    new AbortController().signal,
  );
}

async function runBody(body: object = {}): Promise<Task> {
  const targets = [{ model: "vocals", formats: ["wav", "mp3"], residual: true }];
  const request = { url: "s3://music/in/song.wav", storageIntegrationId, targets, ...body };
  const { id } = (await (await api.post("/tasks", request)).json()) as Task;
  await work(id);
  return (await (await api.call(`/tasks/${id}`)).json()) as Task;
}
const errorOf = (task: Task) => task.targets[0]?.error;

describe("a Task over a bucket", () => {
  it("[N5] reads its input from the bucket; without a destination we store its outputs", async () => {
    const task = await runBody();
    expect(seen?.equals(input)).toBe(true);
    expect(task.targets[0]?.status).toBe("completed");
    expect(task.targets[0]?.output[0]?.link).toContain(`${api.address}/files/outputs/${task.id}/`);
    expect([...bucket.objects.keys()]).toEqual(["in/song.wav"]);
  });

  it("[N5] resumes a broken read", async () => {
    server.faults.cutReadsAfterBytes = 300_000;
    expect((await runBody()).targets[0]?.status).toBe("completed");
    expect(seen?.equals(input)).toBe(true);
  });

  it("[N12] [Z1] reads a transcript from the bucket too", async () => {
    bucket.objects.set("in/words.txt", { body: Buffer.from("La la"), type: "text/plain", etag: '"two"' });
    const align = { model: "alignment", formats: ["json"] };
    const task = await runBody({ targets: [{ ...align, transcriptUrl: "s3://music/in/words.txt" }] });
    expect(task.targets[0]).toMatchObject({ status: "completed", transcriptUrl: "s3://music/in/words.txt" });
    expect(seenTranscript?.toString()).toBe("La la");
    const missing = await runBody({ targets: [{ ...align, transcriptUrl: "s3://music/in/none.txt" }] });
    expect(errorOf(missing)).toMatchObject({
      code: 2002,
      message: expect.stringContaining("The transcript"),
    });
  });

  it("[T17] decodes an input stored with a content encoding", async () => {
    const body = gzipSync(input);
    bucket.objects.set("in/song.wav", { body, type: "audio/wav", etag: '"three"', encoding: "gzip" });
    expect((await runBody()).targets[0]?.status).toBe("completed");
    expect(seen?.equals(input)).toBe(true);
  });

  it("[N7] writes its outputs to the destination, and stores none itself", async () => {
    outputBytes = LARGE_BYTES;
    const task = await runBody({ writeDestination: "s3://music/out/2026/" });
    const names = ["vocals.wav", "vocals.mp3", "vocals_residual.wav", "vocals_residual.mp3"];
    const keys = names.map((name) => `out/2026/${task.id}/${name}`);
    expect([...bucket.objects.keys()].sort()).toEqual(["in/song.wav", ...keys].sort());
    expect(bucket.objects.get(keys[1] ?? "")?.type).toBe("audio/mpeg");
    expect(bucket.uploads.size).toBe(0);
    const blobs = await openFileBlobs(join(api.dataDir, "blobs"));
    expect(await blobs.findSize(`outputs/${task.id}`)).toBeUndefined();
    expect(task.targets[0]?.output.map(({ size }) => size)).toEqual(names.map(() => LARGE_BYTES));
    await api.call(`/tasks/${task.id}`, { method: "DELETE" });
    expect(bucket.objects.has(keys[0] ?? "")).toBe(true);
  });

  it("[N8] links to objects in the customer's bucket, presigned for an hour when the Task is read", async () => {
    const task = await runBody({ writeDestination: "s3://music" });
    const link = task.targets[0]?.output[0]?.link ?? "";
    expect(link.startsWith(`${server.endpoint}/music/${task.id}/vocals.wav?`)).toBe(true);
    expect(new URL(link).searchParams.get("X-Amz-Expires")).toBe("3600");
    const body = Buffer.from(await (await fetch(link)).arrayBuffer());
    expect(body.equals(bucket.objects.get(`${task.id}/vocals.wav`)?.body ?? Buffer.alloc(0))).toBe(true);
    const [listed] = (await (await api.call("/tasks?take=1")).json()) as Task[];
    expect(listed?.targets[0]?.output[0]?.link).toContain(`/music/${task.id}/vocals.wav?`);
  });

  it("[N8] once the integration is gone, the Task can still be read", async () => {
    const { id } = await runBody({ writeDestination: "s3://music" });
    await api.call(`/storage-integrations/${storageIntegrationId}`, { method: "DELETE" });
    const task = (await (await api.call(`/tasks/${id}`)).json()) as Task;
    const link = task.targets[0]?.output[0]?.link ?? "";
    expect(link.startsWith(api.address)).toBe(true);
    expect((await fetch(link)).status).toBe(404);
  });

  it("[N7] a destination that can't be written to fails the target with 3001, and nothing is left there", async () => {
    server.faults.refuseParts = true;
    outputBytes = LARGE_BYTES;
    const task = await runBody({ writeDestination: "s3://music/out" });
    expect(errorOf(task)).toMatchObject({
      code: 3001,
      message: expect.stringContaining("AccessDenied") as string,
    });
    expect([...bucket.objects.keys()]).toEqual(["in/song.wav"]);
    expect(bucket.uploads.size).toBe(0);
  });

  it("[N5] an input that is missing, forbidden, unreachable or too large becomes the target's error", async () => {
    expect(errorOf(await runBody({ url: "s3://music/nothing.wav" }))).toMatchObject({
      code: 1004,
      message: expect.stringContaining("NoSuchKey") as string,
    });
    bucket.objects.set("in/large.wav", {
      body: Buffer.alloc(MAX_INPUT_BYTES + 1),
      type: "audio/wav",
      etag: '"large"',
    });
    expect(errorOf(await runBody({ url: "s3://music/in/large.wav" }))?.code).toBe(1007);
    server.faults.cutReadsAfterBytes = 0;
    expect(errorOf(await runBody())?.code).toBe(1006);
    delete server.faults.cutReadsAfterBytes;
    const authConfig = { endpoint: server.endpoint, region: S3_REGION, ...S3_KEY, secretAccessKey: "wrong" };
    const response = await api.post("/storage-integrations", {
      type: "s3",
      storageName: "music",
      authConfig,
    });
    const { id } = (await response.json()) as StorageIntegration;
    expect(errorOf(await runBody({ storageIntegrationId: id }))?.code).toBe(1005);
  });
});

describe("links that stream through the service", () => {
  it("[F3] assets in S3 keep our own links, with ranges", async () => {
    server.addBucket("context");
    const scaledOut = await startTestApi({
      S3_BUCKET: "context",
      S3_PREFIX: "stems",
      AWS_ENDPOINT_URL_S3: server.endpoint,
      AWS_REGION: S3_REGION,
      AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
      AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
    });
    try {
      const uploaded = (await (await scaledOut.upload("0123456789", "a.wav")).json()) as {
        link: string;
        size: number;
      };
      expect(uploaded.size).toBe(10);
      expect(uploaded.link.startsWith(scaledOut.address)).toBe(true);
      expect(await (await fetch(uploaded.link)).text()).toBe("0123456789");
      const part = await fetch(uploaded.link, { headers: { range: "bytes=2-4" } });
      expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([
        206,
        "bytes 2-4/10",
        "234",
      ]);
      expect((await scaledOut.upload("", "empty.wav")).status).toBe(400);
    } finally {
      await scaledOut.close();
    }
  });
});
