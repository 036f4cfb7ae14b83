import { appendFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { EngineError } from "@stemwright/engine";
import { sql } from "kysely";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import type { RunEngine } from "../../../../test/support/test-worker.ts";
import { listTestPaths } from "../../../../test/support/test-worker.ts";
import { openWorkerContext, type WorkerContext } from "../../../../test/support/worker-context.ts";
import { makeUnclaimedFiles } from "../../db/storage/unclaimed-file-rows.ts";
import type { Blobs } from "../../domain/ports.ts";
import { makeCheckpoints } from "./checkpoints.ts";

const SEGMENTS = 6;
const SEGMENT_BYTES = 1000;

let context: WorkerContext;
beforeAll(async () => {
  context = await openWorkerContext();
});
beforeEach(() => context.addClient());
afterEach(() => context.closeWorkers());
afterAll(() => context.close());

/** Works segment by segment, as a network does, and resumes after its spool. It hangs at the given segment. */
function makeEngine(stuckAt = Number.POSITIVE_INFINITY) {
  const computed: number[] = [];
  const stuck = Promise.withResolvers<void>();
  const run: RunEngine = async (request, hooks = {}) => {
    const spool = join(request.workDir, "network", "plain", "vocals.f32");
    await mkdir(join(request.workDir, "network", "plain"), { recursive: true });
    await writeFile(join(request.workDir, "input.f32"), "decoded");
    const sizeOf = async () => (await stat(spool).catch(() => undefined))?.size ?? 0;
    for (let index = (await sizeOf()) / SEGMENT_BYTES; index < SEGMENTS; index += 1) {
      if (index === stuckAt) {
        stuck.resolve();
        await new Promise((resolve) => hooks.signal?.addEventListener("abort", resolve));
      }
      if (hooks.signal?.aborted) throw new EngineError("cancelled", "stopped");
      computed.push(index);
      await appendFile(spool, String(index).repeat(SEGMENT_BYTES));
    }
    for (const target of request.targets) {
      for (const path of listTestPaths(target)) await writeFile(path, await readFile(spool));
      await hooks.onTargetDone?.(target.key, { durationSeconds: 61 });
    }
  };
  return { run, computed, stuck: stuck.promise };
}

/** A separate machine: it shares only database and store with the others. */
async function startMachine(run: RunEngine, { maxBytes = 1e9, blobs = context.blobs } = {}) {
  const workDir = await makeTempDir("machine");
  const unclaimed = makeUnclaimedFiles(context.database.db);
  const checkpoints = makeCheckpoints({ blobs, unclaimed, maxBytes });
  return { workDir, ...(await context.startWorker(run, { workDir, checkpoints })) };
}

const listCheckpoints = async () => {
  const { rows } = await sql<{ key_prefix: string }>`
    select key_prefix from unclaimed_files where key_prefix like 'checkpoints/%'`.execute(
    context.database.db,
  );
  return rows.map(({ key_prefix }) => key_prefix);
};

async function readOutput(id: string): Promise<string> {
  const task = await context.waitForEnd(id);
  const [output] = task.targets[0]?.output ?? [];
  return await text(await context.blobs.read(output?.blobKey ?? ""));
}

const WHOLE = Array.from({ length: SEGMENTS }, (_, index) => String(index).repeat(SEGMENT_BYTES)).join("");

describe("a worker that is told to stop", () => {
  it("[Q13] leaves its checkpoint in the store, and a worker on another machine resumes from it", async () => {
    const id = await context.createTask(["vocals"]);
    const first = makeEngine(4);
    const one = await startMachine(first.run);
    await first.stuck;
    await one.close();
    expect(await listCheckpoints()).toHaveLength(1);
    const second = makeEngine();
    await startMachine(second.run);
    expect(await readOutput(id)).toBe(WHOLE);
    expect([first.computed, second.computed]).toEqual([
      [0, 1, 2, 3],
      [4, 5],
    ]);
    expect(await context.readAttempts(id)).toEqual({ attempts: 1, last_error_name: null });
    // It is no longer needed.
    await expect.poll(listCheckpoints).toEqual([]);
  });

  it("[Q13] resumes from its own folder on the same machine, or from a newer checkpoint of another worker", async () => {
    const id = await context.createTask(["vocals"]);
    const reads: string[] = [];
    const watched: Blobs = {
      ...context.blobs,
      copyTo(key, path) {
        if (key.startsWith("checkpoints/")) reads.push(key);
        return context.blobs.copyTo(key, path);
      },
    };
    const unclaimed = makeUnclaimedFiles(context.database.db);
    const checkpoints = makeCheckpoints({ blobs: watched, unclaimed, maxBytes: 1e9 });
    const dirs = [await makeTempDir("machine"), await makeTempDir("machine")];
    const computed: number[][] = [];
    const visits = [
      { dir: 0, stuckAt: 1, reads: 0 },
      { dir: 0, stuckAt: 2, reads: 0 },
      { dir: 1, stuckAt: 4, reads: 1 },
      { dir: 0, stuckAt: SEGMENTS, reads: 2 },
    ];
    for (const visit of visits) {
      const engine = makeEngine(visit.stuckAt);
      const worker = await context.startWorker(engine.run, { workDir: dirs[visit.dir] ?? "", checkpoints });
      await (visit.stuckAt === SEGMENTS ? context.waitForEnd(id) : engine.stuck);
      await worker.close();
      computed.push(engine.computed);
      expect(reads).toHaveLength(visit.reads);
    }
    expect(computed).toEqual([[0], [1], [2, 3], [4, 5]]);
    expect(await readOutput(id)).toBe(WHOLE);
  });

  it("[Q13] stores none that is too large, and a missing or truncated one only costs time", async () => {
    for (const spoil of ["too large", "gone", "cut short"]) {
      const id = await context.createTask(["vocals"]);
      const first = makeEngine(2);
      const one = await startMachine(first.run, spoil === "too large" ? { maxBytes: 100 } : {});
      await first.stuck;
      await one.close();
      const [key = ""] = await listCheckpoints();
      if (spoil === "too large") expect(key).toBe("");
      if (spoil === "gone") await context.blobs.delete(key);
      if (spoil === "cut short") {
        const path = join(one.workDir, "short");
        await writeFile(path, "s");
        await context.blobs.adopt(`${key}/0`, path);
      }
      const second = makeEngine();
      const two = await startMachine(second.run);
      expect(await readOutput(id)).toBe(WHOLE);
      expect(second.computed).toHaveLength(SEGMENTS);
      await two.close();
      await rm(one.workDir, { recursive: true, force: true });
    }
  });

  it("[Q4] finishes its Task if it can in time, and claims no other", async () => {
    const id = await context.createTask(["vocals"]);
    const started = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const engine = makeEngine();
    const worker = await context.startWorker(async (request, hooks) => {
      started.resolve();
      await goOn.promise;
      await engine.run(request, hooks);
    });
    await started.promise;
    const next = await context.createTask(["vocals"]);
    const closed = worker.close({ drainMs: 60_000 });
    goOn.resolve();
    await closed;
    expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
    expect(await context.readAttempts(next)).toEqual({ attempts: 0, last_error_name: null });
    await context.database.db.deleteFrom("tasks").where("id", "=", next).execute();
  });

  it("[Q4] returns its Task when told to forceStop", async () => {
    const id = await context.createTask(["vocals"]);
    const engine = makeEngine(0);
    const worker = await context.startWorker(engine.run);
    await engine.stuck;
    const forceStopping = new AbortController();
    const closed = worker.close({ drainMs: 600_000, forceStop: forceStopping.signal });
    forceStopping.abort();
    await closed;
    expect(await context.readAttempts(id)).toEqual({ attempts: 0, last_error_name: null });
  });
});
