import { statSync } from "node:fs";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { EngineProcess } from "@stemwright/engine";
import { afterAll, beforeAll, expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import type { RunEngine } from "../../../test/support/test-worker.ts";
import { openWorkerContext, type WorkerContext } from "../../../test/support/worker-context.ts";
import { makeUnclaimedFiles } from "../db/storage/unclaimed-file-rows.ts";
import { makeCheckpoints } from "./work-dirs/checkpoints.ts";

/** Three segments of the network. */
const SONG = { sampleRateHz: 44_100, lengthFrames: 17 * 44_100 };
/** Allows for a busy machine. */
const TIMEOUT_MS = 1_200_000;

let context: WorkerContext;
const engines: EngineProcess[] = [];
beforeAll(async () => {
  context = await openWorkerContext();
  await context.addClient();
  await context.storeSong(SONG);
});
afterAll(async () => {
  await context.closeWorkers();
  for (const engine of engines) await engine.close();
  await context.close();
});

/** A machine with the real network; reports with each progress message how much of the stem is spooled. */
async function startMachine(onSpool: (sizeBytes: number) => void) {
  const engine = new EngineProcess();
  engines.push(engine);
  const run: RunEngine = (request, hooks = {}) =>
    engine.run(request, {
      ...hooks,
      onProgress(progress) {
        const spool = join(request.workDir, "htdemucs", "plain", "vocals.f32");
        onSpool(statSync(spool, { throwIfNoEntry: false })?.size ?? 0);
        hooks.onProgress?.(progress);
      },
    });
  const unclaimed = makeUnclaimedFiles(context.database.db);
  const checkpoints = makeCheckpoints({ blobs: context.blobs, unclaimed, maxBytes: 1e9 });
  return await context.startWorker(run, { workDir: await makeTempDir("machine"), checkpoints });
}

async function readOutput(id: string): Promise<Buffer> {
  const { targets } = await context.waitForEnd(id, TIMEOUT_MS);
  return await buffer(await context.blobs.read(targets[0]?.output[0]?.blobKey ?? ""));
}

it(
  "[Q13] a worker that drains while the real network runs leaves its checkpoint to one with another folder, which resumes",
  async () => {
    const id = await context.createTask(["vocals"]);
    const begun = Promise.withResolvers<void>();
    let left = 0;
    const first = await startMachine((sizeBytes) => {
      left = Math.max(left, sizeBytes);
      if (left > 0) begun.resolve();
    });
    await begun.promise;
    await first.close();
    const sizes: number[] = [];
    const second = await startMachine((sizeBytes) => sizes.push(sizeBytes));
    const resumed = await readOutput(id);
    await second.close();
    expect(left).toBeGreaterThan(0);
    // A run from the beginning would truncate it first.
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(left);
    expect(await context.readAttempts(id)).toEqual({ attempts: 1, last_error_name: null });
    await startMachine(() => {});
    expect((await readOutput(await context.createTask(["vocals"]))).equals(resumed)).toBe(true);
  },
  TIMEOUT_MS,
);
