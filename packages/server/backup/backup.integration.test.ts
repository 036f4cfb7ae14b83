import { execFile } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Task } from "@stemwright/contract";
import { Stemwright } from "@stemwright/sdk";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../test/support/audio.ts";
import { S3_KEY, S3_REGION, startS3Server } from "../../../test/support/s3-server.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { startTestApi, type TestApi } from "../../../test/support/test-api.ts";
import { openTestDatabase } from "../../../test/support/test-database.ts";
import { finishAll, startWorkerOfApi } from "../../../test/support/test-worker.ts";
import { openFileBlobs } from "../blobs/file-blobs.ts";
import { openOwnBlobs } from "../blobs/open-own-blobs.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Blobs } from "../domain/ports.ts";
import { makeLog } from "../log/make-log.ts";
import { startApi } from "../start/start-api.ts";
import { makeBackup } from "./make-backup.ts";
import { restoreBackup } from "./restore-backup.ts";

const run = promisify(execFile);
const SONG = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 800 }));

let api: TestApi;
let folder: string;
let task: Task;
let secret: string;
let closeWorker: () => Promise<void>;

beforeAll(async () => {
  folder = await makeTempDir("backup");
  api = await startTestApi();
  closeWorker = (await startWorkerOfApi(api, finishAll)).close;
  task = await runTask(await upload("song.wav"));
  const webhook = await api.post("/webhooks", { url: "https://receiver.example/" });
  secret = ((await webhook.json()) as { secret: string }).secret;
});
afterAll(async () => {
  await closeWorker();
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

async function upload(name: string): Promise<string> {
  return ((await (await api.upload(SONG, name)).json()) as { id: string }).id;
}

async function runTask(assetId: string): Promise<Task> {
  const created = await api.post("/tasks", { assetId, targets: [{ model: "vocals", formats: ["wav"] }] });
  const { id } = (await created.json()) as Task;
  return await new Stemwright({ baseUrl: api.address, apiKey: api.account.key }).tasks.wait(id);
}

const toConfig = (dataDir: string, environment: Record<string, string> = {}) =>
  loadConfig({ PORT: "0", DATA_DIR: dataDir, RATE_LIMIT_PER_SECOND: "0", ...environment });

async function back(name: string, change: (blobs: Blobs) => Blobs = (blobs) => blobs): Promise<string> {
  const { blobsDir, encryption } = toConfig(api.dataDir);
  const blobs = change(await openFileBlobs(blobsDir));
  const path = join(folder, name);
  await makeBackup({ databaseUrl: api.database.url, blobs, encryption }, path);
  return path;
}

/** A restored installation with its API, for requests with the old key. */
async function restore(path: string, environment: Record<string, string> = {}) {
  const dataDir = await makeTempDir("restored");
  const database = await openTestDatabase();
  const config = toConfig(dataDir, environment);
  const log = makeLog({ logLevel: "silent", logFile: undefined }, "api");
  const place = {
    databaseUrl: database.url,
    blobs: await openOwnBlobs(config),
    encryption: config.encryption,
  };
  const restored = await restoreBackup(place, path);
  const started = await startApi({ config, databaseUrl: database.url, log });
  return {
    ...restored,
    place,
    database,
    call: (route: string) =>
      fetch(new URL(route, started.address), { headers: { "x-api-key": api.account.key } }),
    async close() {
      await started.close();
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

describe("a backup of a running service", () => {
  it.each(["backup.tar", "backup"])(
    "[S26] %s brings Tasks, files, keys and secrets into an empty installation",
    async (name) => {
      const path = await back(name);
      const restored = await restore(path);
      try {
        const found = (await (await restored.call(`/tasks/${task.id}`)).json()) as Task;
        expect(found).toMatchObject({ id: task.id, completedAt: task.completedAt, cost: task.cost ?? 0 });
        const link = found.targets[0]?.output[0]?.link ?? "";
        expect(await (await fetch(link)).text()).toBe("stem");
        const kept = (await (await restored.call("/webhooks/secret")).json()) as { secret: string };
        expect(kept.secret).toBe(secret);
        // Totals maintained by triggers are neither lost nor doubled.
        expect((await restored.call("/tasks")).headers.get("x-total-count")).toBe(
          (await api.call("/tasks")).headers.get("x-total-count"),
        );
      } finally {
        await restored.close();
      }
    },
  );

  it("[S26] restores from files into an S3 bucket, and from there into files again", async () => {
    const s3 = await startS3Server();
    const { objects } = s3.addBucket("stems");
    const inBucket = await restore(await back("to-bucket.tar"), {
      S3_BUCKET: "stems",
      AWS_ENDPOINT_URL_S3: s3.endpoint,
      AWS_REGION: S3_REGION,
      AWS_ACCESS_KEY_ID: S3_KEY.accessKeyId,
      AWS_SECRET_ACCESS_KEY: S3_KEY.secretAccessKey,
    });
    const path = join(folder, "from-bucket.tar");
    const again = await makeBackup(inBucket.place, path).then(() => restore(path));
    try {
      expect([objects.size, again.files]).toEqual([inBucket.files, inBucket.files]);
      for (const { call } of [inBucket, again]) {
        const found = (await (await call(`/tasks/${task.id}`)).json()) as Task;
        expect(await (await fetch(found.targets[0]?.output[0]?.link ?? "")).text()).toBe("stem");
        expect(await (await call("/webhooks/secret")).json()).toEqual({ secret });
      }
    } finally {
      await again.close();
      await inBucket.close();
      await s3.close();
    }
  });

  it("[S26] deletions during a backup leave no row without its file", async () => {
    const assetId = await upload("goes.wav");
    let isDeleted = false;
    const path = await back("meanwhile.tar", (blobs) => ({
      ...blobs,
      // Deleted after the backup has listed it, just before it is read.
      async findSize(key) {
        if (key.includes(assetId) && !isDeleted) {
          isDeleted = true;
          expect((await api.call(`/assets/${assetId}`, { method: "DELETE" })).status).toBe(200);
        }
        return await blobs.findSize(key);
      },
    }));
    expect(isDeleted).toBe(true);
    const restored = await restore(path);
    try {
      expect((await restored.call(`/assets/${assetId}`)).status).toBe(404);
      const { rows } = await restored.database.pool.query("select blob_key from assets");
      expect(rows).toHaveLength(restored.files - 1);
    } finally {
      await restored.close();
    }
  });

  it("[S26] other tools read it: tar and sha256sum", async () => {
    const path = await back("tools.tar");
    const dir = await makeTempDir("untar");
    await run("tar", ["-xf", path, "-C", dir]);
    const { stdout } = await run("sha256sum", ["-c", "SHA256SUMS"], { cwd: dir });
    expect(stdout).not.toContain("FAILED");
    expect(JSON.parse(await readFile(join(dir, "backup.json"), "utf8"))).toMatchObject({ format: 1 });
    await rm(dir, { recursive: true });
  });

  it("[S26] a damaged backup, or an installation with accounts, is refused before anything changes", async () => {
    const path = await back("damaged.tar");
    const bytes = await readFile(path);
    bytes.writeUInt8(bytes.readUInt8(600) ^ 1, 600);
    await writeFile(path, bytes);
    const { encryption, blobsDir } = toConfig(api.dataDir);
    const target = { databaseUrl: api.database.url, blobs: await openFileBlobs(blobsDir), encryption };
    await expect(restoreBackup(target, path)).rejects.toThrow(/is damaged or missing; nothing was restored/);
    const whole = await back("whole.tar");
    await expect(restoreBackup(target, whole)).rejects.toThrow(/has accounts already/);
    await expect(restoreBackup(target, join(folder, "none.tar"))).rejects.toThrow(/There is no backup at/);
  });
});
