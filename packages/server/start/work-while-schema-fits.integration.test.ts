import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestApi, type TestApi } from "../../../test/support/test-api.ts";
import { finishAll } from "../../../test/support/test-worker.ts";
import { openWorkerContext, type WorkerContext } from "../../../test/support/worker-context.ts";
import { findSchemaFault } from "../db/schema/schema-fault.ts";
import { claimTask } from "../db/tasks/task-run-rows.ts";
import { workWhileSchemaFits } from "./work-while-schema-fits.ts";

const LATER = "9000_later_release.sql";

describe("a schema that this release does not support", () => {
  let context: WorkerContext;
  beforeAll(async () => {
    context = await openWorkerContext();
    await context.addClient();
  });
  afterAll(() => context.close());

  it("[S9] stops workers, which claim no Task and resume once it is supported", async () => {
    const { pool, db } = context.database;
    const warned: string[] = [];
    const log = { warn: (_fields: unknown, message: string) => void warned.push(message) };
    const worker = await workWhileSchemaFits({
      start: () => context.startWorker(finishAll),
      findFault: () => findSchemaFault(db),
      retryPolicy: { signal: new AbortController().signal, log: log as never },
      lookMs: 50,
    });
    await context.waitForEnd(await context.createTask(["vocals"]));
    await pool.query("insert into schema_migrations (name, needs) values ($1, $1)", [LATER]);
    const id = await context.createTask(["vocals"]);
    expect(await claimTask(db, { workerId: "w", token: "t", clientRunningMax: 0 })).toBeUndefined();
    await expect.poll(() => warned).toContain("database schema too new for this release, taking no work");
    await expect.poll(async () => (await db.selectFrom("workers").selectAll().execute()).length).toBe(0);
    expect(await context.readAttempts(id)).toEqual({ attempts: 0, last_error_name: null });
    await pool.query("delete from schema_migrations where name = $1", [LATER]);
    expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
    await worker.close();
  });
});

describe("an API on an unsupported schema", () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await startTestApi();
  });
  afterAll(() => api.close());

  it("[S9] answers 503 with the reason, until it is supported", async () => {
    const statuses = async () => [
      (await api.call("/tasks")).status,
      (await api.call("/health/ready", { key: null })).status,
      (await api.call("/health/live", { key: null })).status,
    ];
    expect(await statuses()).toEqual([200, 200, 200]);
    const { pool } = api.database;
    await pool.query("insert into schema_migrations (name, needs) values ($1, $1)", [LATER]);
    await expect.poll(statuses).toEqual([503, 503, 200]);
    expect(await (await api.call("/tasks")).json()).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining(`knows ${LATER}. Upgrade this process`),
    });
    await pool.query("delete from schema_migrations where name = $1", [LATER]);
    await expect.poll(statuses).toEqual([200, 200, 200]);
  });
});
