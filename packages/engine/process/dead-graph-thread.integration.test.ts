import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { readSound, writeSound } from "../support/sound-file.ts";
import { makeSyntheticSong } from "../support/synthetic-song.ts";
import type { EngineRequest } from "../targets/engine-request.ts";
import { EngineProcess } from "./engine-process.ts";

const folder = mkdtempSync(join(tmpdir(), "stemwright-thread-"));
const marker = join(folder, "end-a-thread");
const engine = new EngineProcess({ cacheDir: join(folder, "cache") });
const nodeOptions = process.env.NODE_OPTIONS;

beforeAll(() => {
  const preload = new URL("./support/end-graph-threads.mjs", import.meta.url);
  preload.searchParams.set("marker", marker);
  process.env.NODE_OPTIONS = `${nodeOptions ?? ""} --import=${preload}`;
});
afterAll(async () => {
  if (nodeOptions === undefined) delete process.env.NODE_OPTIONS;
  else process.env.NODE_OPTIONS = nodeOptions;
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

function makeRequest(name: string, lengthFrames: number): EngineRequest {
  const planes = makeSyntheticSong({ sampleRateHz: 44_100, lengthFrames }).slice(0, 1);
  writeSound(join(folder, `${name}.wav`), planes, 44_100);
  const files = [
    { output: "stem" as const, format: "wav" as const, path: join(folder, `${name}-vocals.wav`) },
  ];
  return {
    inputPath: join(folder, `${name}.wav`),
    workDir: join(folder, `${name}-work`),
    targets: [{ kind: "sound", key: name, model: "vocals", files }],
  };
}

it("[Q6] a graph thread that dies fails the attempt and not the target; the next attempt resumes after the checkpoint", async () => {
  const request = makeRequest("long", 350_000);
  const spool = join(request.workDir, "htdemucs/plain/vocals.f32");
  const failed: string[] = [];
  const run = engine.run(request, {
    onTargetFailed: (key) => void failed.push(key),
    onProgress: () => {
      if ((statSync(spool, { throwIfNoEntry: false })?.size ?? 0) > 0) writeFileSync(marker, "");
    },
  });
  await expect(run).rejects.toMatchObject({
    name: "Error",
    message: expect.stringContaining("thread ended unexpectedly (the test ends this thread)"),
  });
  expect(failed).toEqual([]);
  expect(engine.pid).toBeUndefined();
  const firstFrames = readFileSync(spool);
  rmSync(marker, { force: true });

  await engine.run(request, { onTargetFailed: (key) => void failed.push(key) });
  expect(failed).toEqual([]);
  expect(readFileSync(spool).subarray(0, firstFrames.length).equals(firstFrames)).toBe(true);
  expect(readSound(join(folder, "long-vocals.wav")).lengthFrames).toBe(350_000);
});

it("[Q6] a process whose thread dies between requests gets no further request", async () => {
  await engine.run(makeRequest("first", 1));
  const pid = engine.pid;
  expect(pid).toBeDefined();
  writeFileSync(marker, "");
  await expect.poll(() => existsSync(marker)).toBe(false);
  await expect.poll(() => engine.pid).toBeUndefined();
  await engine.run(makeRequest("second", 1));
  expect(engine.pid).not.toBe(pid);
  expect(readSound(join(folder, "second-vocals.wav")).lengthFrames).toBe(1);
});
