import { setTimeout as wait } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openDatabaseProxy } from "../../../test/support/database-proxy.ts";
import { fenceDatabase } from "../../../test/support/fence-database.ts";
import { finishAll } from "../../../test/support/test-worker.ts";
import { openWorkerContext, type WorkerContext } from "../../../test/support/worker-context.ts";
import { withOutages } from "../blobs/with-outages.ts";
import type { Blobs } from "../domain/ports.ts";
import { BucketError } from "../domain/storage/bucket.ts";

/** Longer than a supervisor waits for a worker, and than the heartbeat limit. */
const PAUSE_MS = 12_000;

let context: WorkerContext;
beforeAll(async () => {
  context = await openWorkerContext();
});
afterAll(() => context.close());
beforeEach(() => context.addClient());
afterEach(() => context.closeWorkers());

describe("a database that does not answer", () => {
  it("[Q3] [Q11] for more than ten seconds does not end a Task in its last attempt", async () => {
    await using proxy = await openDatabaseProxy(context.database.url);
    const id = await context.createTask(["vocals"]);
    await context.database.pool.query("update tasks set attempts = 4 where id = $1", [id]);
    let runs = 0;
    await context.startWorker(
      async (request, hooks) => {
        runs += 1;
        proxy.pause();
        const finishing = finishAll(request, hooks);
        await wait(PAUSE_MS);
        proxy.resume();
        await finishing;
      },
      { connectionString: proxy.url },
    );
    await expect.poll(() => runs).toBe(1);
    // Another worker, with a working connection, supervises it.
    await context.startWorker(finishAll);
    expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
    expect(runs).toBe(1);
    await context.closeWorkers();
  });

  it("[Q11] that breaks every connection costs no attempt and loses no work", async () => {
    await using proxy = await openDatabaseProxy(context.database.url);
    const ids = [await context.createTask(["vocals", "drums"]), await context.createTask(["bass"])];
    let runs = 0;
    await context.startWorker(
      async (request, hooks) => {
        runs += 1;
        if (runs === 1) proxy.cut();
        const finishing = finishAll(request, hooks);
        await wait(3000);
        proxy.mend();
        await finishing;
      },
      { connectionString: proxy.url },
    );
    for (const id of ids) {
      const { targets } = await context.waitForEnd(id);
      expect(targets.every(({ status, cost }) => status === "completed" && cost === 3)).toBe(true);
      expect(await context.readAttempts(id)).toEqual({ attempts: 1, last_error_name: null });
    }
    expect(runs).toBe(2);
    await context.closeWorkers();
  });
});

describe("a primary that is fenced, so that it takes no writes", () => {
  it("[S35] [Q11] costs no attempt and throws no work away", async () => {
    const id = await context.createTask(["vocals"]);
    await context.database.pool.query("update tasks set attempts = 4 where id = $1", [id]);
    let runs = 0;
    await context.startWorker(async (request, hooks) => {
      runs += 1;
      await fenceDatabase(context.database.url, { isFenced: true });
      const finishing = finishAll(request, hooks);
      await wait(3000);
      await fenceDatabase(context.database.url, { isFenced: false });
      await finishing;
    });
    expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
    expect(runs).toBe(1);
    expect(await context.readAttempts(id)).toEqual({ attempts: 5, last_error_name: null });
    await context.closeWorkers();
  });
});

describe("a store that does not answer", () => {
  /** The context's store, with one call failing until it is repaired. */
  function breakStore(call: "adopt" | "copyTo") {
    let isBroken = true;
    const calls: string[] = [];
    const refuse = async () => {
      throw new BucketError("failed", "connect ECONNREFUSED");
    };
    const own: Blobs = {
      ...context.blobs,
      [call]: (key: string, path: string) => {
        calls.push(key);
        return isBroken ? refuse() : context.blobs[call](key, path);
      },
      check: () => {
        calls.push("check");
        return isBroken ? refuse() : context.blobs.check();
      },
    };
    return { blobs: withOutages(own), calls, mend: () => (isBroken = false) };
  }

  it.each(["adopt", "copyTo"] as const)(
    "[Q11] to %s costs no attempt, and no further Task is taken",
    async (call) => {
      const ids = [await context.createTask(["vocals"]), await context.createTask(["drums"])];
      const { blobs, calls, mend } = breakStore(call);
      await context.startWorker(finishAll, { blobs });
      await expect.poll(() => calls.filter((key) => key === "check").length).toBe(2);
      // One Task was tried; after that only the store was probed.
      expect(calls.slice(1)).toEqual(["check", "check"]);
      for (const id of ids)
        expect(await context.readAttempts(id)).toEqual({ attempts: 0, last_error_name: null });
      mend();
      for (const id of ids) {
        expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
        expect(await context.readAttempts(id)).toEqual({ attempts: 1, last_error_name: null });
      }
    },
  );

  it("[Q11] with a missing bucket does not fail Tasks as input not found", async () => {
    const id = await context.createTask(["vocals"]);
    const asked = Promise.withResolvers<void>();
    let isMissing = true;
    const own: Blobs = {
      ...context.blobs,
      findSize: async (key) => (isMissing ? undefined : await context.blobs.findSize(key)),
      async check() {
        asked.resolve();
        if (isMissing) throw new BucketError("not-found", "NoSuchBucket");
      },
    };
    await context.startWorker(finishAll, { blobs: withOutages(own) });
    await asked.promise;
    isMissing = false;
    expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
  });
});
