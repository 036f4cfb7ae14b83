import { EngineError } from "@stemwright/engine";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { finishAll, type RunEngine } from "../../../test/support/test-worker.ts";
import { openWorkerContext, type WorkerContext } from "../../../test/support/worker-context.ts";
import { listWorkers } from "../db/operation/worker-rows.ts";
import type { Blobs } from "../domain/ports.ts";
import type { DiskRoom } from "../monitoring/disk-room.ts";

let context: WorkerContext;
beforeAll(async () => {
  context = await openWorkerContext();
});
afterAll(() => context.close());
beforeEach(() => context.addClient());
afterEach(() => context.closeWorkers());

const makeFull = (code = "ENOSPC") => Object.assign(new Error(`${code}: no space left on device`), { code });
const SHORTAGE = "the disk is nearly full: 5 bytes are free, DISK_FREE_MIN_BYTES asks for 6";

/** A disk that the test fills and empties. */
function makeDisk({ isFull = true } = {}) {
  let freeBytes = isFull ? 5 : 1e12;
  const room: DiskRoom = {
    look: async () => ({ freeBytes, usableBytes: 1e12 }),
    findShortage: async () => (freeBytes === 5 ? SHORTAGE : undefined),
    makeRoom: async () => 0,
  };
  return {
    room,
    fill: () => {
      freeBytes = 5;
    },
    empty: () => {
      freeBytes = 1e12;
    },
  };
}

/** The worker's row, once it looks as expected. */
const expectWorker = (expected: object) =>
  expect
    .poll(async () => (await listWorkers(context.database.db))[0], { timeout: 20_000 })
    .toMatchObject(expected);

/** Each completed, charged once, and not one attempt more than the one that succeeded. */
async function expectAllDone(ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { targets } = await context.waitForEnd(id, 120_000);
    expect(targets.map(({ status, cost }) => ({ status, cost }))).toEqual([{ status: "completed", cost: 3 }]);
    expect(await context.readAttempts(id)).toEqual({ attempts: 1, last_error_name: null });
  }
}

describe("a worker whose disk is nearly full", () => {
  it("[Q21] [D6] [Q19] claims nothing, says why, and goes on when there is room", async () => {
    const disk = makeDisk();
    let runs = 0;
    const run: RunEngine = (request, hooks) => {
      runs += 1;
      return finishAll(request, hooks);
    };
    const ids = [await context.createTask(["vocals"]), await context.createTask(["drums"])];
    const { findFault } = await context.startWorker(run, { room: disk.room });
    await expectWorker({ fault: SHORTAGE, disk_free_bytes: 5 });
    expect(findFault()).toBe(SHORTAGE);
    for (const id of ids)
      expect(await context.readAttempts(id)).toEqual({ attempts: 0, last_error_name: null });
    expect(runs).toBe(0);
    disk.empty();
    await expectAllDone(ids);
    await expectWorker({ fault: null, disk_free_bytes: 1e12 });
    expect(findFault()).toBeUndefined();
  });

  it("[Q21] probes before it claims, however long it was idle", async () => {
    const disk = makeDisk({ isFull: false });
    await context.startWorker(finishAll, { room: disk.room });
    await expectAllDone([await context.createTask(["vocals"])]);
    disk.fill();
    const id = await context.createTask(["drums"]);
    await expectWorker({ fault: SHORTAGE });
    expect(await context.readAttempts(id)).toMatchObject({ attempts: 0 });
    disk.empty();
    await expectAllDone([id]);
  });
});

describe("a disk that fills up during a Task", () => {
  /** The context's store, with one call that finds the disk full the first times. */
  function makeFullStore(call: "copyTo" | "adopt", times: number): Blobs {
    let left = times;
    return {
      ...context.blobs,
      async [call](key: string, path: string) {
        if (left-- > 0) throw makeFull();
        return await context.blobs[call](key, path);
      },
    } as Blobs;
  }
  /** As often as attempts may fail. */
  const TIMES = 5;

  it.each(["copyTo", "adopt"] as const)("[Q21] in %s of the store costs no attempt", async (call) => {
    const id = await context.createTask(["vocals"]);
    await context.startWorker(finishAll, { blobs: makeFullStore(call, 1) });
    await expectAllDone([id]);
  });

  it.each([
    { where: "the engine", error: new EngineError("disk-full", "The disk is full.") },
    { where: "a user's quota", error: makeFull("EDQUOT") },
    { where: "the database", error: makeFull("53100") },
  ])("[Q21] as $where sees it costs no attempt, as often as attempts may fail", async ({ error }) => {
    let left = TIMES;
    const id = await context.createTask(["vocals"]);
    const returned: number[] = [];
    await context.startWorker(async (request, hooks = {}) => {
      returned.push(performance.now());
      if (left-- > 0) {
        // Of a target, and of the run as a whole.
        if (left % 2 === 0 && error instanceof EngineError)
          await hooks.onTargetFailed?.(request.targets[0]?.key ?? "", error);
        throw error;
      }
      await finishAll(request, hooks);
    });
    // The backoffs of 1, 2, 4 … s are not what is tested here.
    const skipping = setInterval(() => void skipBackoff(id), 200);
    await expectAllDone([id]).finally(() => clearInterval(skipping));
    expect(returned).toHaveLength(TIMES + 1);
  });

  const skipBackoff = (id: string) =>
    context.database.pool.query("update tasks set due_at = now() where id = $1 and due_at is not null", [id]);

  it("[Q21] waits longer each time, at most a minute, until it makes progress", async () => {
    const id = await context.createTask(["vocals"]);
    const delays: number[] = [];
    await context.startWorker(async () => {
      throw makeFull();
    });
    for (let returns = 1; returns <= 8; returns += 1) {
      let row: { disk_full_returns: number; seconds: number } | undefined;
      await expect
        .poll(
          async () => {
            const { rows } = await context.database.pool.query(
              `select disk_full_returns, extract(epoch from due_at - now())::float8 as seconds from tasks
               where id = $1 and run_token is null and due_at is not null`,
              [id],
            );
            row = rows[0];
            return row?.disk_full_returns;
          },
          { interval: 20 },
        )
        .toBe(returns);
      delays.push(row?.seconds ?? 0);
      await skipBackoff(id);
    }
    for (const [index, seconds] of delays.entries()) {
      const longest = Math.min(60, 2 ** index);
      expect(seconds).toBeLessThanOrEqual(longest);
      expect(seconds).toBeGreaterThan(0.75 * longest - 0.6);
    }
  });
});
