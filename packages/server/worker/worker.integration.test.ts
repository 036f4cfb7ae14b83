import { writeFile } from "node:fs/promises";
import { EngineError, EngineProcess } from "@stemwright/engine";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { TestDatabase } from "../../../test/support/test-database.ts";
import { finishAll, listTestPaths, type RunEngine } from "../../../test/support/test-worker.ts";
import { openWorkerContext, type WorkerContext } from "../../../test/support/worker-context.ts";
import * as clients from "../db/accounts/client-rows.ts";
import * as credits from "../db/credits/credit-rows.ts";
import * as workers from "../db/operation/worker-rows.ts";
import { loadStorageUse } from "../db/storage/make-storage-quota.ts";
import { endTarget } from "../db/tasks/target-ends.ts";
import * as tasks from "../db/tasks/task-rows.ts";
import { estimateReservations } from "../domain/credits/target-costs.ts";
import { makeId } from "../domain/ids.ts";
import type { Blobs } from "../domain/ports.ts";

let context: WorkerContext;
let database: TestDatabase;
let blobs: Blobs;
let clientId: string;
let assetId: string;
let probedSeconds: number | undefined;

beforeAll(async () => {
  context = await openWorkerContext();
  ({ database, blobs } = context);
});
afterAll(() => context.close());
beforeEach(async () => {
  await context.addClient();
  ({ clientId, assetId } = context);
});
afterEach(() => context.closeWorkers());

const startTestWorker = (run: RunEngine) =>
  context.startWorker(run, { probeDuration: async () => probedSeconds });
const createTask = (models: string[]) => context.createTask(models);
const waitForEnd = (id: string) => context.waitForEnd(id);
/** An engine that waits until released; if a test fails first, it ends with its worker. */
const finishWhen =
  (going: Promise<void>): RunEngine =>
  async (request, hooks = {}) => {
    const { promise: stopped, reject } = Promise.withResolvers<never>();
    hooks.signal?.addEventListener("abort", () => reject(new EngineError("cancelled", "stopped")));
    await Promise.race([going, stopped]);
    await finishAll(request, hooks);
  };

describe("the worker", () => {
  it("[C1] completes targets one by one, with outputs and cost", async () => {
    await startTestWorker(finishAll);
    const task = await waitForEnd(await createTask(["vocals", "drums"]));
    expect(
      task.targets.map(({ status, cost, durationSeconds, output }) => ({
        status,
        cost,
        durationSeconds,
        names: output.map(({ name }) => name),
      })),
    ).toEqual([
      { status: "completed", cost: 3, durationSeconds: 61, names: ["vocals"] },
      { status: "completed", cost: 3, durationSeconds: 61, names: ["drums"] },
    ]);
    expect(await blobs.findSize(task.targets[0]?.output[0]?.blobKey ?? "")).toBe(4);
  });

  it("[T7] one target's failure does not affect the others", async () => {
    await startTestWorker(async (request, hooks = {}) => {
      const [first, ...others] = request.targets;
      if (first) await hooks.onTargetFailed?.(first.key, new EngineError("encode-failed", "no such encoder"));
      await finishAll({ ...request, targets: others }, hooks);
    });
    const task = await waitForEnd(await createTask(["vocals", "drums"]));
    expect(task.targets.map(({ status, error, cost }) => ({ status, error, cost }))).toEqual([
      { status: "error", error: { code: 3003, message: "no such encoder" }, cost: undefined },
      { status: "completed", error: undefined, cost: 3 },
    ]);
  });

  it("[T7] an input too long for one model fails only its targets", async () => {
    const seen: string[][] = [];
    await startTestWorker(async (request, hooks) => {
      seen.push(request.targets.map(({ model }) => model));
      if ((request.maxDurationSeconds ?? 0) < 7200)
        throw new EngineError("input-too-long", "The input is longer than 3600 seconds.");
      await finishAll(request, hooks);
    });
    const task = await waitForEnd(await createTask(["vocals", "transcription"]));
    expect(task.targets.map(({ status, error, cost }) => ({ status, code: error?.code, cost }))).toEqual([
      { status: "completed", code: undefined, cost: 3 },
      { status: "error", code: 1003, cost: undefined },
    ]);
    expect(seen).toEqual([["vocals", "transcription"], ["vocals"]]);
  });

  it("[Q2] a failure on our side is retried, and finished targets stay finished", async () => {
    const seen: string[][] = [];
    await startTestWorker(async (request, hooks = {}) => {
      seen.push(request.targets.map(({ model }) => model));
      await finishAll({ ...request, targets: request.targets.slice(0, 1) }, hooks);
      if (request.targets.length > 1) throw new Error("a fault of the machine");
    });
    const task = await waitForEnd(await createTask(["vocals", "drums"]));
    expect(seen).toEqual([["vocals", "drums"], ["drums"]]);
    expect(task.targets.every(({ status, cost }) => status === "completed" && cost === 3)).toBe(true);
  });

  it("[Q3] repeated failures end with an error after five attempts, each of them logged", async () => {
    const fault = new Error("a fault of the machine");
    const { log } = await startTestWorker(async () => {
      throw fault;
    });
    const logged = vi.spyOn(log, "error");
    const task = await waitForEnd(await createTask(["vocals"]));
    expect(logged.mock.calls.map(([facts]) => facts)).toEqual(Array(5).fill({ err: fault, taskId: task.id }));
    const message = "Every attempt at the Task failed on our side, or took the worker with it.";
    expect(task.targets[0]).toMatchObject({ status: "error", error: { code: 9002, message } });
  });

  it("[Q6] an engine killed every time is reported in the error and in the log, with what to do", async () => {
    const engine = new EngineProcess();
    let kills = 0;
    const { log } = await startTestWorker(async (request, hooks) => {
      const running = engine.run(request, hooks);
      await expect.poll(() => engine.pid, { interval: 5 }).toBeDefined();
      kills += Number(process.kill(engine.pid ?? 0, "SIGKILL"));
      await running;
    });
    const logged = vi.spyOn(log, "warn");
    const task = await waitForEnd(await createTask(["vocals"]));
    expect(kills).toBe(5);
    const reason = task.targets[0]?.error?.message;
    expect(task.targets[0]).toMatchObject({ status: "error", error: { code: 9002 } });
    expect(reason).toMatch(
      /engine was killed from outside.* ran out of memory: .* fewer workers .*\(WORKERS\)/,
    );
    expect(logged.mock.calls.map(([facts]) => facts)).toEqual([
      { taskId: task.id, targetId: task.targets[0]?.id, code: 9002, reason },
    ]);
  });

  it("[Q4] returns its Task when told to stop, and the next worker finishes it", async () => {
    const started = Promise.withResolvers<void>();
    const first = await startTestWorker(async (_request, hooks = {}) => {
      started.resolve();
      await new Promise((_resolve, reject) =>
        hooks.signal?.addEventListener("abort", () => reject(new EngineError("cancelled", "stopped"))),
      );
    });
    const id = await createTask(["vocals"]);
    await started.promise;
    await first.close();
    expect((await tasks.findTask(database.db, id))?.targets[0]?.status).toBe("processing");
    await startTestWorker(finishAll);
    expect((await waitForEnd(id)).targets[0]?.status).toBe("completed");
  });

  it("[K6] finishes the Tasks of a suspended client", async () => {
    await startTestWorker(finishAll);
    await clients.setSuspended(database.db, clientId, true);
    const task = await waitForEnd(await createTask(["vocals"]));
    expect(task.targets[0]).toMatchObject({ status: "completed", cost: 3 });
  });

  it("[T10] stops working on a deleted Task", async () => {
    const started = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    await startTestWorker(async (_request, hooks = {}) => {
      started.resolve();
      await new Promise((_resolve, reject) =>
        hooks.signal?.addEventListener("abort", () => reject(new EngineError("cancelled", "stopped"))),
      ).finally(stopped.resolve);
    });
    const id = await createTask(["vocals"]);
    await started.promise;
    await tasks.deleteTask(database.db, clientId, id);
    await stopped.promise;
    expect(await tasks.findTask(database.db, id)).toBeUndefined();
  });
});

describe("a metered client's Task", () => {
  /** A Task by URL with one minute reserved, of a client with this many credits. */
  async function createMetered(amount: number, models = ["vocals"]): Promise<string> {
    await clients.changeClient(database.db, clientId, { metered: true });
    const id = makeId();
    const targets = models.map((model) => ({ id: makeId(), model, formats: ["wav"], creditsPerMinute: 1.5 }));
    await database.db.transaction().execute(async (tx) => {
      await credits.insertCreditGrant(tx, { clientId, kind: "grant", amount, note: "Test", keyId: "none" });
      await tasks.insertTask(tx, { id, clientId, createdAt: new Date(), assetId, targets });
      await credits.reserveCredits(tx, clientId, estimateReservations(targets));
    });
    return id;
  }

  it.each([
    { seconds: 61, amount: 10, limit: 180, balance: 7 },
    { seconds: 61, amount: 3, limit: 120, balance: 0 },
    { seconds: undefined, amount: 10, limit: 360, balance: 7 },
  ])(
    "[B4] [B5] of $seconds s with $amount credits may be $limit s long, and leaves $balance",
    async ({ seconds, amount, limit, balance }) => {
      probedSeconds = seconds;
      let reserved: number | undefined;
      let maxDurationSeconds: number | undefined;
      await startTestWorker(async (request, hooks) => {
        maxDurationSeconds = request.maxDurationSeconds;
        reserved = (await credits.findCreditAccount(database.db, clientId)).reserved;
        await finishAll(request, hooks);
      });
      const task = await waitForEnd(await createMetered(amount));
      expect(task.targets[0]).toMatchObject({ status: "completed", cost: 3 });
      expect([maxDurationSeconds, reserved]).toEqual([limit, (limit / 60) * 1.5]);
      expect(await credits.findCreditAccount(database.db, clientId)).toEqual({ balance, reserved: 0 });
    },
  );

  it("[B4] that is longer than the credits cover fails and is not run", async () => {
    probedSeconds = 121;
    let isStarted = false;
    await startTestWorker(async () => {
      isStarted = true;
    });
    const task = await waitForEnd(await createMetered(3));
    expect(task.targets[0]).toMatchObject({ status: "error", error: { code: 1008 } });
    expect(isStarted).toBe(false);
    expect(await credits.findCreditAccount(database.db, clientId)).toEqual({ balance: 3, reserved: 0 });
  });

  it("[B4] reserves nothing for a target that the input is too long for", async () => {
    probedSeconds = 3660;
    await startTestWorker(finishAll);
    const task = await waitForEnd(await createMetered(93, ["vocals", "transcription"]));
    expect(task.targets.map(({ status, error }) => ({ status, code: error?.code }))).toEqual([
      { status: "completed", code: undefined },
      { status: "error", code: 1003 },
    ]);
    expect(await credits.findCreditAccount(database.db, clientId)).toEqual({ balance: 90, reserved: 0 });
  });

  it("[B4] whose file misstates its length fails with the same error", async () => {
    probedSeconds = 1;
    await startTestWorker(async () => {
      throw new EngineError("input-too-long", "The input is longer than 120 seconds.");
    });
    const task = await waitForEnd(await createMetered(3));
    expect(task.targets[0]).toMatchObject({ status: "error", error: { code: 1008 } });
  });
});

describe("an input of unknown length", () => {
  const startWorkers = async (count: number, run: RunEngine) => {
    for (let index = 0; index < count; index += 1)
      await context.startWorker(run, { probeDuration: async () => 3600, longTaskSeconds: 1200 });
  };
  const countRunning = async () =>
    (
      await database.pool.query<{ running: number }>(
        "select count(*) as running from tasks where run_token is not null and completed_at is null and client_id = $1",
        [clientId],
      )
    ).rows[0]?.running;

  it("[Q9] that turns out to make one long Task too many waits; that is not an attempt", async () => {
    const going = Promise.withResolvers<void>();
    const begun: string[] = [];
    await startWorkers(2, async (request, hooks) => {
      begun.push(request.targets[0]?.model ?? "");
      await finishWhen(going.promise)(request, hooks);
    });
    const long = [await createTask(["vocals"]), await createTask(["drums"])];
    await expect.poll(async () => (await listLong()).length).toBe(2);
    await expect.poll(countRunning).toBe(1);
    const short = await context.createTask(["bass"], { audioSeconds: 5 });
    await expect.poll(() => begun.length).toBe(2);
    expect(begun[1]).toBe("bass");
    going.resolve();
    for (const id of [...long, short]) {
      expect((await waitForEnd(id)).targets[0]?.status).toBe("completed");
      expect(await context.readAttempts(id)).toEqual({ attempts: 1, last_error_name: null });
    }
  });

  const listLong = async () =>
    (await database.pool.query("select id from tasks where is_long and client_id = $1", [clientId])).rows;
});

describe("the worker's heartbeat", () => {
  it("[D6] reports the current Task, and is removed when the worker stops gracefully", async () => {
    const going = Promise.withResolvers<void>();
    const { close } = await startTestWorker(finishWhen(going.promise));
    const id = await createTask(["vocals"]);
    const find = async () => (await workers.listWorkers(database.db))[0];
    await expect.poll(async () => (await find())?.task_id, { timeout: 10_000 }).toBe(id);
    expect(await find()).toMatchObject({ is_alive: true, version: "1.2.3", pid: process.pid });
    expect((await find())?.memory_bytes).toBeGreaterThan(20_000_000);
    going.resolve();
    await waitForEnd(id);
    await expect.poll(async () => (await find())?.audio_seconds, { timeout: 10_000 }).toBe(61);
    expect((await find())?.engine_seconds).toBeGreaterThan(0);
    expect((await find())?.task_id).toBeNull();
    await close();
    expect(await find()).toBeUndefined();
  });
});

describe("ends of targets", () => {
  it("[Q2] a target ends once, however often its end is reported", async () => {
    const id = makeId();
    const targets = ["a", "b"].map((model) => ({
      id: makeId(),
      model,
      formats: ["wav"],
      creditsPerMinute: 1,
    }));
    await tasks.insertTask(database.db, { id, clientId, createdAt: new Date(), assetId, targets });
    const end = (targetId = "") =>
      database.db.transaction().execute((tx) =>
        endTarget(tx, {
          taskId: id,
          targetId,
          end: { status: "completed", durationSeconds: 1, output: [] },
        }),
      );
    const first = targets[0]?.id;
    const told = await Promise.all([end(first), end(first), end(first), end(targets[1]?.id)]);
    expect(told.filter(Boolean)).toHaveLength(2);
    expect((await tasks.findTask(database.db, id))?.completedAt).toBeInstanceOf(Date);
  });
});

describe("a client's storage quota", () => {
  /** The asset uses some of it. */
  const setQuota = async (storageQuotaBytes: number) => {
    await clients.changeClient(database.db, clientId, { storageQuotaBytes });
    const { assetsBytes } = await loadStorageUse(database.db, clientId);
    return assetsBytes;
  };
  const use = () => loadStorageUse(database.db, clientId);
  /** For this many seconds and targets, as the test's worker computes it. */
  const workBytes = (seconds: number, targets: number) => seconds * 44_100 * 2 * 4 * (1 + targets);

  it("[P6] fails the targets of an input that does not fit, before any work", async () => {
    probedSeconds = 10;
    await setQuota(workBytes(10, 1));
    const run = vi.fn<RunEngine>(finishAll);
    await startTestWorker(run);
    const task = await waitForEnd(await createTask(["vocals"]));
    expect(task.targets[0]?.error).toMatchObject({
      code: 1010,
      message: expect.stringContaining("There is no room to work on the input") as string,
    });
    expect(run).not.toHaveBeenCalled();
    expect(await use()).toMatchObject({ outputsBytes: 0, heldBytes: 0 });
  });

  it("[P6] holds what the work needs while it lasts, plus a minute if there is room", async () => {
    probedSeconds = 10;
    const assetsBytes = await setQuota(1e9);
    const seen: { maxWorkBytes: number | undefined; heldBytes: number }[] = [];
    await startTestWorker(async (request, hooks) => {
      seen.push({ maxWorkBytes: request.maxWorkBytes, heldBytes: (await use()).heldBytes });
      await finishAll(request, hooks);
    });
    await waitForEnd(await createTask(["vocals", "drums"]));
    expect(seen).toEqual([{ maxWorkBytes: workBytes(70, 2), heldBytes: workBytes(70, 2) }]);
    await expect.poll(use).toEqual({ assetsBytes, outputsBytes: 8, heldBytes: 0 });
    await setQuota(workBytes(10, 1) + assetsBytes + 8);
    await waitForEnd(await createTask(["bass"]));
    expect(seen[1]).toEqual({ maxWorkBytes: workBytes(10, 1), heldBytes: workBytes(10, 1) });
  });

  it("[P6] holds all that is left for an input of unknown length, and reports which limit was hit", async () => {
    probedSeconds = undefined;
    const assetsBytes = await setQuota(1_000_000);
    await startTestWorker(async (request) => {
      expect(request).toMatchObject({
        maxDecodedBytes: 1_000_000 - assetsBytes,
        maxWorkBytes: 1_000_000 - assetsBytes,
      });
      throw new EngineError("input-too-large", "The input has more than some bytes of sound.");
    });
    const task = await waitForEnd(await createTask(["vocals"]));
    expect(task.targets[0]?.error?.code).toBe(1010);
    await clients.changeClient(database.db, clientId, { storageQuotaBytes: 0 });
    await context.closeWorkers();
    await startTestWorker(async () => {
      throw new EngineError("input-too-large", "The input has more than some bytes of sound.");
    });
    const unlimited = await waitForEnd(await createTask(["vocals"]));
    expect(unlimited.targets[0]?.error?.code).toBe(1009);
  });

  it("[P6] fails a target whose outputs do not fit, stores none of them, and continues with the others", async () => {
    probedSeconds = 1;
    const assetsBytes = await setQuota(1e9);
    await startTestWorker(async (request, hooks = {}) => {
      await setQuota(assetsBytes + (request.maxWorkBytes ?? 0) + 10);
      for (const [index, target] of request.targets.entries()) {
        for (const path of listTestPaths(target)) await writeFile(path, "x".repeat(index === 0 ? 11 : 10));
        await hooks.onTargetDone?.(target.key, { durationSeconds: 1 });
      }
    });
    const task = await waitForEnd(await createTask(["vocals", "drums"]));
    expect(task.targets.map(({ status, error }) => [status, error?.code])).toEqual([
      ["error", 3004],
      ["completed", undefined],
    ]);
    expect(await blobs.findSize(`outputs/${task.id}/${task.targets[0]?.id}/vocals.wav`)).toBeUndefined();
    await expect.poll(use).toEqual({ assetsBytes, outputsBytes: 10, heldBytes: 0 });
  });
});
