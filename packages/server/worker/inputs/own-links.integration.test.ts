import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Asset, Task } from "@stemwright/contract";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../test/support/audio.ts";
import { startTestApi, type TestApi } from "../../../../test/support/test-api.ts";
import { finishAll, startWorkerWithoutNetwork } from "../../../../test/support/test-worker.ts";
import { openFileBlobs } from "../../blobs/file-blobs.ts";

/** An API without a configured public address, and a worker without one. */
let api: TestApi;
let closeWorker: () => Promise<void>;
const inputs = new Map<string, Buffer>();
beforeAll(async () => {
  api = await startTestApi();
  const worker = await startWorkerWithoutNetwork({
    connectionString: api.database.url,
    blobs: await openFileBlobs(join(api.dataDir, "blobs")),
    workDir: join(api.dataDir, "work"),
    dataDir: api.dataDir,
    async run(request, hooks) {
      for (const { key } of request.targets) inputs.set(key, await readFile(request.inputPath));
      await finishAll(request, hooks);
    },
  });
  closeWorker = worker.close;
});
afterAll(async () => {
  await closeWorker();
  await api.close();
});

it.each(["as it was given", "by another name of the service"])(
  "[T3] a worker reads our own link from the store, %s",
  async (how) => {
    const wav = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 80 }));
    const asset = (await (await api.upload(wav, "a.wav")).json()) as Asset;
    const url = how === "as it was given" ? asset.link : asset.link.replace("127.0.0.1", "localhost");
    const response = await api.post("/tasks", { url, targets: [{ model: "vocals", formats: ["wav"] }] });
    const created = (await response.json()) as Task;
    expect(created.url).toBe(url);
    const read = async () => (await (await api.call(`/tasks/${created.id}`)).json()) as Task;
    await expect.poll(async () => (await read()).completedAt, { timeout: 20_000 }).not.toBeNull();
    const [target] = (await read()).targets;
    expect(target).toMatchObject({ status: "completed" });
    expect(inputs.get(target?.id ?? "")?.equals(wav)).toBe(true);
    const { rows } = await api.database.pool.query("select from task_sources where task_id = $1", [
      created.id,
    ]);
    expect(rows).toHaveLength(0);
  },
);

it("[U2] a login in a URL is stored encrypted, deleted when the Task ends, and never shown", async () => {
  const url = "https://ann:s3cret@media.invalid/a.wav";
  const targets = [{ model: "vocals", formats: ["wav"] }];
  const created = (await (await api.post("/tasks", { url, targets })).json()) as Task;
  expect(created.url).toBe("https://media.invalid/a.wav");
  const read = async () => (await (await api.call(`/tasks/${created.id}`)).json()) as Task;
  await expect.poll(async () => (await read()).completedAt, { timeout: 20_000 }).not.toBeNull();
  expect((await read()).targets[0]).toMatchObject({ status: "error", error: { code: 1006 } });
  const tables = await api.database.pool.query(
    "select json_agg(tasks)::text || json_agg(targets)::text as rows from tasks join targets on task_id = tasks.id",
  );
  const { rows } = await api.database.pool.query("select from task_sources where task_id = $1", [created.id]);
  expect(rows).toHaveLength(0);
  const everything = JSON.stringify([await read(), tables.rows, api.logLines]);
  expect(everything).not.toMatch(/s3cret|ann:/);
});
