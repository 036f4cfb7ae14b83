import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openDatabaseProxy } from "../../../test/support/database-proxy.ts";
import { finishAll } from "../../../test/support/test-worker.ts";
import { openWorkerContext, type WorkerContext } from "../../../test/support/worker-context.ts";

/** Excludes the cost of starting. */
const SETTLE_SECONDS = 5;
const IDLE_SECONDS = 30;

let context: WorkerContext;
beforeAll(async () => {
  context = await openWorkerContext();
});
afterAll(() => context.close());
beforeEach(() => context.addClient());

it("[Q12] a worker claims the next Task at once, with at most three connections", async () => {
  await using proxy = await openDatabaseProxy(context.database.url);
  const pauses: number[] = [];
  let endedMs = 0;
  await context.startWorker(
    async (request, hooks) => {
      if (endedMs > 0) pauses.push(performance.now() - endedMs);
      await finishAll(request, hooks);
      endedMs = performance.now();
    },
    { connectionString: proxy.url },
  );
  const ids = [];
  for (let count = 0; count < 20; count += 1) ids.push(await context.createTask(["vocals", "drums"]));
  for (const id of ids) await context.waitForEnd(id);
  await context.closeWorkers();
  expect(proxy.mostConnections()).toBeLessThanOrEqual(3);
  // 20 ms on a quiet machine; with a poll between two Tasks it would be seconds.
  expect(pauses.toSorted((a, b) => a - b)[10]).toBeLessThan(500);
});

it("[Q12] idle workers make few queries, and one of them supervises all", async () => {
  await using supervisor = await openDatabaseProxy(context.database.url);
  await using other = await openDatabaseProxy(context.database.url);
  for (const { url } of [supervisor, other]) await context.startWorker(finishAll, { connectionString: url });
  const read = () => [supervisor, other].map((proxy) => proxy.countTransactions());
  await wait(SETTLE_SECONDS * 1000);
  const before = read();
  await wait(IDLE_SECONDS * 1000);
  const [ofSupervisor = 0, ofOther = 0] = read().map((total, i) => (total - (before[i] ?? 0)) / IDLE_SECONDS);
  await context.closeWorkers();
  expect(ofOther).toBeLessThanOrEqual(0.5);
  expect(ofSupervisor).toBeLessThanOrEqual(1);
  expect(ofOther).toBeGreaterThan(0);
});
