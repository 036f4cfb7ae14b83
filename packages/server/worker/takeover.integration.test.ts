import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { takeTask } from "../../../test/support/begin-run.ts";
import { finishAll, type RunEngine } from "../../../test/support/test-worker.ts";
import { openWorkerContext, type WorkerContext } from "../../../test/support/worker-context.ts";
import { openDatabase } from "../db/connection/open-database.ts";
import { makeTaskReports } from "../db/tasks/make-task-reports.ts";
import { trySupervising } from "../db/tasks/supervision.ts";
import { withTaskLock } from "../db/tasks/task-locks.ts";
import { findTask } from "../db/tasks/task-rows.ts";
import type { TargetEnd } from "../domain/tasks/task-record.ts";
import { RunLost } from "../domain/tasks/task-run.ts";

let context: WorkerContext;
const children: ChildProcess[] = [];
beforeAll(async () => {
  context = await openWorkerContext();
});
afterAll(() => context.close());
beforeEach(() => context.addClient());
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await context.closeWorkers();
});

const CHILD = join(import.meta.dirname, "../../../test/support/worker-child.ts");
const told = async (child: ChildProcess, message: string) => {
  for await (const [said] of on(child)) if (said === message) return;
};
async function* on(child: ChildProcess) {
  for (;;) yield await once(child, "message");
}
/** A worker process that has started the Task. */
async function startChild(): Promise<ChildProcess> {
  const blobsDir = join(context.workDir, "..", "blobs");
  const child = fork(CHILD, [context.database.url, blobsDir, context.workDir], { stdio: "inherit" });
  children.push(child);
  await told(child, "working");
  return child;
}
/** Breaks the connections by which workers hold their Tasks. */
const breakHold = () =>
  context.database.pool.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'stemwright worker' and datname = current_database()",
  );
/** A point in an engine's work that reports when it is reached, and continues when the test says so. */
function gate() {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  return { begin: begun.resolve, begun: begun.promise, end: ended.resolve, ended: ended.promise };
}

describe("a Task without a worker", () => {
  it("[Q1] is claimed however long it has waited, with or without a notification", async () => {
    const target = { id: "old-target", model: "vocals", formats: "{wav}", rate: 1 };
    await context.database.pool.query(
      "insert into tasks (id, client_id, asset_id, created_at) values ('old', $1, $2, now() - interval '60 days')",
      [context.clientId, context.assetId],
    );
    await context.database.pool.query(
      "insert into targets (id, task_id, position, model, formats, options, credits_per_minute) values ($1, 'old', 0, $2, $3, '{}', $4)",
      Object.values(target),
    );
    await context.startWorker(finishAll);
    expect((await context.waitForEnd("old")).targets[0]?.status).toBe("completed");
  });
});

describe("a Task that vanishes while a worker has it", () => {
  it("[Q5] is reported as that, not as taken over", async () => {
    const id = await context.createTask(["vocals"]);
    const working = gate();
    const worker = await context.startWorker(async () => {
      working.begin();
      await working.ended;
      throw new RunLost();
    });
    const warn = vi.spyOn(worker.log, "warn");
    await working.begun;
    await context.database.pool.query("delete from tasks where id = $1", [id]);
    working.end();
    await expect
      .poll(() => warn.mock.calls)
      .toEqual([[{ taskId: id }, "Task no longer exists, run stopped"]]);
  });
});

describe("a worker that dies", () => {
  it("[Q2] by SIGKILL loses its Task to another, and the attempt counts", async () => {
    const id = await context.createTask(["vocals"]);
    const child = await startChild();
    child.kill("SIGKILL");
    await context.startWorker(finishAll);
    expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
    expect(await context.readAttempts(id)).toEqual({ attempts: 2, last_error_name: "WorkerLost" });
  });

  it("[Q3] in every attempt fails the Task", async () => {
    const id = await context.createTask(["vocals"]);
    await context.database.pool.query("update tasks set attempts = 4 where id = $1", [id]);
    const child = await startChild();
    child.kill("SIGKILL");
    await context.startWorker(finishAll);
    const message = "Every attempt at the Task failed on our side, or took the worker with it.";
    expect((await context.waitForEnd(id)).targets[0]).toMatchObject({ error: { code: 9002, message } });
  });

  it("[Q2] [Q5] by freezing loses its Task after a minute; when it thaws it stops, and changes nothing", async () => {
    const [first, second] = [gate(), gate()];
    let runs = 0;
    // The first worker is the supervisor; it is busy with another Task until the child has this one.
    await context.createTask(["drums"]);
    await context.startWorker(async (request, hooks) => {
      runs += 1;
      const current = runs === 1 ? first : second;
      current.begin();
      await current.ended;
      await finishAll(request, hooks);
    });
    await first.begun;
    const id = await context.createTask(["vocals"]);
    const child = await startChild();
    child.kill("SIGSTOP");
    first.end();
    // As if a minute had passed since its last query.
    await context.database.pool.query(
      "update workers set seen_at = now() - interval '61 seconds' where pid = $1",
      [child.pid],
    );
    await second.begun;
    const stopped = told(child, "stopped");
    child.kill("SIGCONT");
    await stopped;
    const running = await findTask(context.database.db, id);
    expect(running).toMatchObject({ isRunning: true, targets: [{ status: "processing" }] });
    second.end();
    expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
    expect(await context.readAttempts(id)).toMatchObject({ attempts: 2 });
  });

  it("[Q2] by freezing as the supervisor is replaced by the next worker that applies", async () => {
    const open = () => openDatabase({ connectionString: context.database.url, maxConnections: 1 }).db;
    const [frozen, next] = [open(), open()];
    expect(await trySupervising(frozen)).toBe(true);
    expect(await trySupervising(next)).toBe(false);
    await expect.poll(() => trySupervising(next, { silentSeconds: 0.001 })).toBe(true);
    await Promise.all([frozen.destroy(), next.destroy()]);
  });
});

describe("a worker whose connection breaks", () => {
  it.each([
    { attempt: 1, before: 0 },
    { attempt: 5, before: 4 },
  ])("[Q2] [Q3] takes its Task again and goes on with attempt $attempt", async ({ attempt, before }) => {
    const id = await context.createTask(["vocals"]);
    await context.database.pool.query("update tasks set attempts = $2 where id = $1", [id, before]);
    const work = gate();
    let runs = 0;
    const engine: RunEngine = async (request, hooks) => {
      runs += 1;
      work.begin();
      await work.ended;
      await finishAll(request, hooks);
    };
    await context.startWorker(engine);
    await context.startWorker(engine);
    await work.begun;
    await breakHold();
    // A supervisor has looked long enough to take it away.
    await expect.poll(() => isHeld(id), { timeout: 10_000 }).toBe(true);
    await rounds(4);
    work.end();
    expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
    expect(runs).toBe(1);
    expect(await context.readAttempts(id)).toEqual({ attempts: attempt, last_error_name: null });
  });

  /** Whether a worker holds the lock of the Task. */
  const isHeld = async (id: string) =>
    (await withTaskLock(context.database.db, id, async () => true)) !== true;

  /** Waits until the supervisor's session has made this many more queries. */
  async function rounds(count: number): Promise<void> {
    const read = async () => {
      const { rows } = await context.database.pool.query(
        "select max(query_start) as at from pg_stat_activity where application_name = 'stemwright worker' and datname = current_database() and query like '%doubtful%'",
      );
      return (rows[0] as { at: Date | null }).at?.getTime();
    };
    for (let seen = await read(), left = count; left > 0; left -= 1) {
      const before = seen;
      await expect.poll(read, { timeout: 30_000, interval: 100 }).not.toBe(before);
      seen = await read();
    }
  }
});

describe("a run that was taken over", () => {
  it("[Q10] can't change anything of its successor's, whatever it reports", async () => {
    const id = await context.createTask(["vocals"]);
    const { db } = context.database;
    const reports = makeTaskReports(db);
    const first = await takeTask(db, id);
    const second = await takeTask(db, id);
    await reports.startRun(second);
    const targetId = (await reports.findTask(id))?.targets[0]?.id ?? "";
    await reports.setProgress(second, [{ targetId, progress: 0.25, secondsLeft: 100 }]);
    const read = async () => ({
      row: await db.selectFrom("tasks").selectAll().where("id", "=", id).executeTakeFirst(),
      targets: await db.selectFrom("targets").selectAll().where("task_id", "=", id).execute(),
    });
    const before = await read();
    const end: TargetEnd = { status: "completed", durationSeconds: 1, output: [] };
    await expect(reports.startRun(first)).rejects.toThrow(RunLost);
    await expect(reports.endTarget(first, targetId, end)).rejects.toThrow(RunLost);
    await expect(reports.setLength(first, { audioSeconds: 1, isLong: true })).rejects.toThrow(RunLost);
    await reports.setProgress(first, [{ targetId, progress: 0.9 }]);
    await reports.giveBack(first);
    expect(await reports.failRun(first, "Error")).toEqual({ isLast: false });
    expect(await read()).toEqual(before);
    expect(await reports.endTarget(second, targetId, end)).toBe(true);
  });
});

describe("attempts", () => {
  it("[Q3] count from the last one that made progress", async () => {
    const id = await context.createTask(["vocals", "drums"]);
    const { db } = context.database;
    const reports = makeTaskReports(db);
    const targetId = (await reports.findTask(id))?.targets[0]?.id ?? "";
    for (let attempt = 1; attempt <= 10; attempt += 1) {
      const run = await takeTask(db, id);
      await reports.setProgress(run, [{ targetId, progress: attempt / 20 }]);
      expect(await reports.failRun(run, "Error")).toEqual({ isLast: false });
    }
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const run = await takeTask(db, id);
      expect(await reports.failRun(run, "Error")).toEqual({ isLast: attempt === 5 });
    }
  });
});
