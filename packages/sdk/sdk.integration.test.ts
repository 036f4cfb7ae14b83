import { createReadStream } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Task } from "@stemwright/contract";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../test/support/audio.ts";
import { type ReverseProxy, startReverseProxy } from "../../test/support/reverse-proxy.ts";
import { makeTempDir } from "../../test/support/temp-dir.ts";
import { startTestApi, type TestApi } from "../../test/support/test-api.ts";
import {
  finishAll,
  type RunEngine,
  startWorkerOfApi,
  workUntilAborted,
} from "../../test/support/test-worker.ts";
import { BadRequestError, NotFoundError, PermissionError, Stemwright } from "./index.ts";

const CONTENT = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 8000 }));
const TARGETS = [
  { model: "vocals", formats: ["wav", "mp3"] },
  { model: "drums", formats: ["wav"] },
];

let api: TestApi;
let proxy: ReverseProxy;
let client: Stemwright;
let folder: string;
let songPath: string;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  // The service is behind a proxy, under a sub-path, and its links include that.
  proxy = await startReverseProxy();
  api = await startTestApi({ PORT: String(proxy.port), PUBLIC_BASE_URL: proxy.baseUrl });
  client = new Stemwright({ baseUrl: proxy.baseUrl, apiKey: api.account.key });
  folder = await makeTempDir("sdk");
  songPath = join(folder, "song.wav");
  await writeFile(songPath, CONTENT);
});
afterEach(async () => {
  proxy.losesAnswer = () => false;
  for (const close of closers.splice(0)) await close();
});
afterAll(async () => {
  await proxy.close();
  await api.close();
  await rm(folder, { recursive: true });
});

async function startWorker(run: RunEngine): Promise<void> {
  const { close } = await startWorkerOfApi(api, run);
  closers.push(close);
}

describe("the SDK and a service under a sub-path", () => {
  it("go from a file to its stems", async () => {
    await startWorker(finishAll);
    const sent: number[] = [];
    const progress: number[] = [];
    const task = await client.tasks.run(songPath, TARGETS, {
      metadata: "mine",
      onUploadProgress: ({ sentBytes }) => sent.push(sentBytes),
      onProgress: (update) => progress.push(update.progress),
    });
    expect(task.targets.map(({ status }) => status)).toEqual(["completed", "completed"]);
    expect(task.metadata).toBe("mine");
    expect(sent.at(-1)).toBe(CONTENT.length);
    expect(progress.at(-1)).toBe(1);
    const paths = await client.tasks.saveAll(task, join(folder, "stems"));
    expect(paths.map((path) => path.slice(folder.length + 1))).toEqual([
      "stems/vocals.wav",
      "stems/vocals.mp3",
      "stems/drums.wav",
    ]);
    for (const path of paths) expect(await readFile(path, "utf8")).toBe("stem");
  });

  it("[O2] renew an expired link", async () => {
    await startWorker(finishAll);
    const asset = await client.assets.upload(songPath);
    const task = await client.tasks.run({ assetId: asset.id }, TARGETS);
    const file = task.targets[0]?.output[0];
    if (!file) throw new Error("no output");
    const spoilt = { ...file, link: file.link.replace(/Signature=./, "Signature=_") };
    const response = await client.tasks.download(task, spoilt);
    expect(await response.text()).toBe("stem");
    const { token } = await client.tasks.shares.create(task.id);
    const shared = await client.shares.get(token);
    const behindShare = await client.shares.download(token, { task: shared, output: spoilt });
    expect(await behindShare.text()).toBe("stem");
    const old = { ...asset, link: asset.link.replace(/Expires=\d+/, "Expires=1") };
    await client.assets.save(old, join(folder, "again.wav"));
    expect(new Uint8Array(await readFile(join(folder, "again.wav")))).toEqual(CONTENT);
  });

  it.each([
    ["a File", () => new File([CONTENT], "lied ö.wav")],
    ["a stream", () => createReadStream(songPath)],
  ])("[A1] take an upload from %s", async (_name, makeInput) => {
    const asset = await client.assets.upload(makeInput(), { name: "lied ö.wav" });
    expect(asset).toMatchObject({ name: "lied ö.wav", format: "wav", size: CONTENT.length });
    expect(await client.assets.get(asset.id)).toMatchObject({ id: asset.id });
    expect((await client.assets.list().toArray()).map(({ id }) => id)).toContain(asset.id);
    await client.assets.delete(asset.id);
    await expect(client.assets.get(asset.id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it("[I1] create one Task if the response is lost and the request is retried", async () => {
    const { id: assetId } = await client.assets.upload(songPath);
    const before = await client.tasks.list({ take: 1 }).page();
    let lost = 0;
    proxy.losesAnswer = ({ method, url }) => {
      if (method !== "POST" || !url?.endsWith("/tasks") || lost === 2) return false;
      lost += 1;
      return true;
    };
    const task = await client.tasks.create({ assetId, targets: TARGETS });
    expect(lost).toBe(2);
    const after = await client.tasks.list({ take: 1 }).page();
    expect(after.total).toBe(before.total + 1);
    expect(after.items[0]?.id).toBe(task.id);
    await client.tasks.delete(task.id);
  });

  it("[I1] return the same Task for a repeated run with the same key", async () => {
    await startWorker(finishAll);
    const options = { idempotencyKey: "run-1" };
    const first = await client.tasks.run(songPath, TARGETS, options);
    const second = await client.tasks.run(songPath, TARGETS, options);
    expect(second.id).toBe(first.id);
  });

  it("[T11] cancel the Task of an aborted run", async () => {
    await startWorker(workUntilAborted);
    const controller = new AbortController();
    let created: Task | undefined;
    const run = client.tasks.run(songPath, TARGETS, {
      signal: controller.signal,
      onCreated: (task) => {
        created = task;
      },
      onProgress: () => controller.abort(new Error("enough")),
    });
    await expect(run).rejects.toThrow("enough");
    const cancelled = await client.tasks.get(created?.id ?? "");
    expect(cancelled.targets.map(({ error }) => error?.code)).toEqual([4001, 4001]);
  });

  it("estimate the cost of a Task, and explain what is wrong with one", async () => {
    const { id: assetId } = await client.assets.upload(songPath);
    expect(await client.tasks.estimate({ assetId, targets: TARGETS })).toMatchObject({ cost: 2 });
    const mistaken = client.tasks.create({ assetId, targets: [{ model: "tuba", formats: ["wav"] }] });
    await expect(mistaken).rejects.toBeInstanceOf(BadRequestError);
    await expect(mistaken).rejects.toMatchObject({
      status: 400,
      code: "MODEL_UNKNOWN",
      message: expect.stringContaining("Must be one of "),
      requestId: expect.any(String),
    });
    await expect(client.admin.clients.list().page()).rejects.toBeInstanceOf(PermissionError);
  });

  it("[D2] manage accounts, and act for one of them", async () => {
    const admin = new Stemwright({
      baseUrl: proxy.baseUrl,
      apiKey: (await api.addAccount({ role: "admin" })).key,
    });
    const { id: clientId } = await admin.admin.clients.create({ name: "Acme" });
    const { secret } = await admin.admin.keys.create(clientId, { name: "Production" });
    await admin.admin.modelGrants.set(clientId, "drums", { creditsPerMinute: 3 });
    await admin.admin.credits.grant(clientId, { amount: 5, note: "Welcome" });
    const acme = new Stemwright({ baseUrl: proxy.baseUrl, apiKey: secret });
    const rates = (await acme.models.list()).filter(({ id }) => id === "drums");
    expect(rates.map(({ creditsPerMinute }) => creditsPerMinute)).toEqual([3]);
    const asset = await acme.assets.upload(CONTENT, { name: "a.wav" });
    expect((await admin.assets.get(asset.id, { clientId })).id).toBe(asset.id);
    expect(await admin.admin.credits.ledger(clientId).toArray()).toMatchObject([{ amount: 5 }]);
    expect(await admin.admin.metrics()).toContain("# HELP");
    expect((await admin.admin.health()).database.isOk).toBe(true);
  });

  it("[J1] speak the Jobs interface", async () => {
    await startWorker(finishAll);
    const { secret: legacyToken } = await new Stemwright({
      baseUrl: proxy.baseUrl,
      apiKey: (await api.addAccount({ role: "admin" })).key,
    }).admin.keys.create(api.account.clientId, { name: "Old", kind: "legacy" });
    const { jobs } = new Stemwright({ baseUrl: proxy.baseUrl, legacyToken });
    const { id: assetId } = await jobs.upload(songPath);
    const { id } = await jobs.create({ assetId, metadata: { name: "vocals", format: "wav" } });
    await expect.poll(async () => (await jobs.get(id)).status).toBe("completed");
    expect((await jobs.list().toArray()).map((job) => job.id)).toContain(id);
    expect((await jobs.usage()).clientId).toBe(api.account.clientId);
  });
});
