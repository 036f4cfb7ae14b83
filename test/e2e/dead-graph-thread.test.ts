import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeSyntheticSong } from "../../packages/engine/support/synthetic-song.ts";
import { toWav } from "../support/audio.ts";
import { type Service, startService } from "../support/service.ts";
import { makeTempDir } from "../support/temp-dir.ts";

/** Two segments of the network. */
const LENGTH_FRAMES = 350_000;

let dataDir: string;
let marker: string;
let service: Service;

beforeAll(async () => {
  dataDir = await makeTempDir("thread");
  marker = join(dataDir, "end-a-thread");
  const preload = new URL("../../packages/engine/process/support/end-graph-threads.mjs", import.meta.url);
  preload.searchParams.set("marker", marker);
  service = await startService({ dataDir, environment: { NODE_OPTIONS: `--import=${preload}` } });
});
afterAll(async () => {
  await service.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const isSpooled = (taskId: string) =>
  stat(join(dataDir, "work", taskId, "engine/htdemucs/plain/vocals.f32")).then(
    ({ size }) => size > 0,
    () => false,
  );

it("[Q6] a Task whose graph thread dies completes at its next attempt, and the Task after it at its first", async () => {
  const channels = makeSyntheticSong({ sampleRateHz: 44_100, lengthFrames: LENGTH_FRAMES }).slice(0, 1);
  const { id: assetId } = await service.upload(toWav({ sampleRateHz: 44_100, channels }), "song.wav");
  const create = (model: string) => service.createTask({ assetId, targets: [{ model, formats: ["wav"] }] });
  const [first, second] = [await create("vocals"), await create("drums")];
  await expect.poll(() => isSpooled(first.id), { timeout: 120_000 }).toBe(true);
  await writeFile(marker, "");

  const [ended, next] = [await service.waitForTask(first.id), await service.waitForTask(second.id)];
  expect([...ended.targets, ...next.targets].map(({ status, error }) => ({ status, error }))).toEqual([
    { status: "completed", error: undefined },
    { status: "completed", error: undefined },
  ]);
  const attempts = service
    .output()
    .split("\n")
    .filter((line) => line.includes('"msg":"attempt failed"'));
  expect(attempts).toHaveLength(1);
  expect(attempts[0]).toContain("thread ended unexpectedly (the test ends this thread)");
});
