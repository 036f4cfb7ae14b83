import { spawnSync } from "node:child_process";
import { chmod, lstat, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../support/audio.ts";
import { type Service, startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

const isRoot = process.getuid?.() === 0;
/** As an early release left them. */
const LEFT_OPEN = ["blobs/assets/old/old.wav", "cache/stems/old/vocals.f32", "work/old/input"];

let dataDir: string;
let service: Service;

beforeAll(async () => {
  dataDir = await makeTempDir("modes");
  for (const file of LEFT_OPEN) {
    await mkdir(join(dataDir, file, ".."), { recursive: true });
    await writeFile(join(dataDir, file), "secret");
  }
  for (const path of await listBelow(dataDir)) await chmod(path, 0o777);
  await chmod(dataDir, 0o755);
  service = await startService({ dataDir });
});
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Everything the service stores, except PostgreSQL's folder, part of which belongs to another user under root. */
async function listBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries.filter((name) => !/^postgres(\/|$)/.test(name)).map((name) => join(folder, name));
}

async function listOpen(): Promise<string[]> {
  const open: string[] = [];
  for (const path of await listBelow(dataDir)) {
    const entry = await lstat(path).catch(() => undefined);
    if (entry !== undefined && (entry.mode & 0o077) !== 0) open.push(path);
  }
  return open;
}

describe("the data folder of a running service", () => {
  it("[S7] is inaccessible to other users, including what was in it before", async () => {
    await expect.poll(listOpen).toEqual([]);
    expect((await lstat(dataDir)).mode & 0o777).toBe(isRoot ? 0o711 : 0o700);
    expect(service.output()).toContain("restricted permissions of files readable by other users");
  });

  it("[S7] [P1] stays so through a Task, including cached stems and the key", async () => {
    const tone = makeTone({ sampleRateHz: 44_100, channels: 1, lengthFrames: 441 });
    const { id } = await service.upload(toWav(tone), "a.wav");
    await service.call("/webhooks", {
      method: "POST",
      body: JSON.stringify({ url: "https://example.com/hook" }),
      headers: { "content-type": "application/json" },
    });
    const { id: taskId } = await service.createTask({
      assetId: id,
      targets: [{ model: "vocals", formats: ["wav", "mp3"] }],
    });
    const openMeanwhile = new Set<string>();
    const task = await service.waitForTask(taskId, ({ completedAt }) => {
      void listOpen().then((paths) => paths.forEach((path) => void openMeanwhile.add(path)));
      return completedAt !== null;
    });
    expect(task.targets.map(({ status }) => status)).toEqual(["completed"]);
    const kept = (await listBelow(dataDir)).map((path) => path.slice(dataDir.length));
    expect(kept.some((path) => /^\/cache\/stems\/[0-9a-f]{64}\/vocals$/.test(path))).toBe(true);
    expect(kept).toContain("/encryption.key");
    expect([...openMeanwhile, ...(await listOpen())]).toEqual([]);
  });

  it("[S7] is unreadable for the user that opens media under root", async ({ skip }) => {
    skip(!isRoot, "only root opens media as another user");
    const paths = ["encryption.key", "blobs", "work", "cache", "postgres", ...LEFT_OPEN];
    const read = (path: string) =>
      spawnSync("setpriv", [
        ...["--reuid=65534", "--regid=65534", "--clear-groups"],
        ...["sh", "-c", 'ls "$0/"; cat "$0"', join(dataDir, path)],
      ]);
    for (const path of paths) expect([path, String(read(path).stdout)]).toEqual([path, ""]);
  });
});
