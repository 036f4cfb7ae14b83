import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type DatabaseProxy, openDatabaseProxy } from "../../../test/support/database-proxy.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { insertClient } from "../db/accounts/client-rows.ts";
import { upsertWorker } from "../db/operation/worker-rows.ts";
import { insertTask } from "../db/tasks/task-rows.ts";
import { notifyGap } from "../db/tasks/waiting-tasks.ts";
import { makeId } from "../domain/ids.ts";
import { startSupervisor } from "./supervisor.ts";
import { TaskQueue } from "./task-queue.ts";

let database: TestDatabase;
let proxy: DatabaseProxy;
let draining: AbortController;
const queues: TaskQueue[] = [];
beforeEach(async () => {
  database = await openTestDatabase();
  proxy = await openDatabaseProxy(database.url);
  draining = new AbortController();
  await insertClient(database.db, { id: "client", name: "Test" });
});
afterEach(async () => {
  draining.abort();
  await Promise.all(queues.splice(0).map((queue) => queue.close()));
  await proxy[Symbol.asyncDispose]();
  await database.close();
});

async function openQueue(onGap = () => {}): Promise<TaskQueue> {
  const id = makeId();
  const idle = { task: undefined, engineSeconds: 0, audioSeconds: 0, networks: [], memoryBytes: 1 };
  await upsertWorker(database.db, { id, host: "h", pid: 1, version: "1", startedAt: new Date(), ...idle });
  const queue = new TaskQueue({
    ...{ connectionString: proxy.url, workerId: id, clientRunningMax: 0, onGap },
    onError: () => {},
  });
  queues.push(queue);
  return queue;
}

/** Queues that take one Task after the other; each is over at once. */
async function openWaitingQueues(count: number, onTaken: (taskId: string) => void): Promise<void> {
  const waiting = new Set<TaskQueue>();
  for (let index = 0; index < count; index += 1) {
    const queue = await openQueue();
    void (async () => {
      const onNone = () => waiting.add(queue);
      for (let run = await queue.takeNext(draining.signal, onNone); run; ) {
        await database.pool.query("update tasks set completed_at = now() where id = $1", [run.taskId]);
        await run.release();
        onTaken(run.taskId);
        run = await queue.takeNext(draining.signal);
      }
    })();
  }
  await expect.poll(() => waiting.size).toBe(count);
}

async function createTask(): Promise<string> {
  const id = makeId();
  const target = { id: makeId(), model: "vocals", formats: ["wav"], creditsPerMinute: 1 };
  const url = "https://media.example/a.wav";
  await database.db
    .transaction()
    .execute((transaction) =>
      insertTask(transaction, { id, clientId: "client", createdAt: new Date(), url, targets: [target] }),
    );
  return id;
}

const addSilently = (count: number) =>
  database.pool.query(
    "insert into tasks (id, client_id, url, created_at) select 'silent-' || n, 'client', 'https://x.example', now() from generate_series(1, $1::int) n",
    [count],
  );

it("[Q12] a new Task makes no more workers ask with 25 of them waiting than with 5", async () => {
  const taken: string[] = [];
  const countPerTask = async () => {
    const before = proxy.countTransactions();
    for (let turn = 0; turn < 10; turn += 1) {
      const id = await createTask();
      await expect.poll(() => taken).toContain(id);
      // Until those that came too late have asked, too.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return (proxy.countTransactions() - before) / 10;
  };
  await openWaitingQueues(5, (id) => taken.push(id));
  const withFew = await countPerTask();
  await openWaitingQueues(20, (id) => taken.push(id));
  expect(await countPerTask()).toBeLessThan(1.3 * withFew);
});

it("[Q12] workers that are woken wake others while there are more Tasks", async () => {
  const taken: string[] = [];
  await openWaitingQueues(20, (id) => taken.push(id));
  await addSilently(40);
  await createTask();
  // A poll would come after eight seconds at the earliest.
  await expect.poll(() => taken.length, { timeout: 5000 }).toBe(41);
});

it("[Q12] a worker with a Task gets no notifications, and takes the next Task nevertheless", async () => {
  const queue = await openQueue();
  const onNone = vi.fn();
  const taking = queue.takeNext(draining.signal, onNone);
  await expect.poll(() => onNone.mock.calls.length).toBeGreaterThan(0);
  await createTask();
  const run = await taking;
  // In order: it has stopped listening.
  await queue.session.use(async () => {});
  const before = proxy.countNotifications();
  await createTask();
  await queue.session.use(async () => {});
  expect(proxy.countNotifications()).toBe(before);
  await run?.release();
  expect((await queue.takeNext(draining.signal))?.taskId).toBeDefined();
});

it("[S35] a worker whose idle connection goes silent takes the next Task on another, and its process stays responsive", async () => {
  const queue = await openQueue();
  const onNone = vi.fn();
  const taking = queue.takeNext(draining.signal, onNone);
  await expect.poll(() => onNone.mock.calls.length).toBeGreaterThan(0);
  const pid = await queue.session.use(async (db) => {
    const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
    return rows[0]?.pid ?? 0;
  });
  process.kill(pid, "SIGSTOP");
  const delay = monitorEventLoopDelay();
  delay.enable();
  try {
    const id = await createTask();
    // At the latest at the next poll, 12 s, and when that is not answered, 10 s.
    const run = await Promise.race([taking, wait(30_000, undefined)]);
    expect(run?.taskId).toBe(id);
    expect(delay.max / 1e6).toBeLessThan(1000);
  } finally {
    process.kill(pid, "SIGCONT");
  }
});

it("[Z7] a supervisor is notified of gaps to align while it has a Task", async () => {
  const onGap = vi.fn();
  const queue = await openQueue(onGap);
  const supervisor = startSupervisor({
    session: queue.session,
    log: { warn: () => {}, error: () => {} },
    abandon: async () => {},
  });
  await createTask();
  await queue.takeNext(draining.signal);
  onGap.mockClear();
  await expect
    .poll(async () => {
      await notifyGap(database.db);
      return onGap.mock.calls.length;
    })
    .toBeGreaterThan(0);
  const closed = supervisor.close();
  await queue.close();
  await closed;
});
