import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkerContext, type WorkerContext } from "../../../test/support/worker-context.ts";
import { upsertWorker } from "../db/operation/worker-rows.ts";
import { makeId } from "../domain/ids.ts";
import { readQueues } from "./read-queues.ts";

let context: WorkerContext;
beforeAll(async () => {
  context = await openWorkerContext();
  await context.addClient();
});
afterAll(() => context.close());

const readWork = async () => (await readQueues(context.database.db))[0]?.waitingWorkSeconds;

describe("the backlog", () => {
  it("[D7] is the audio of waiting Tasks times the live workers' pace", async () => {
    expect(await readWork()).toBe(0);
    await context.createTask(["vocals"]);
    expect(await readWork()).toBe(200);
    await context.createTask(["vocals"], { audioSeconds: 3600 });
    // A Task of unknown length counts as the average of the others.
    expect(await readWork()).toBe(7200);
    const place = { host: "machine", pid: 1, version: "1.2.3", startedAt: new Date(), memoryBytes: 1 };
    for (const engineSeconds of [300, 500])
      await upsertWorker(context.database.db, {
        ...place,
        id: makeId(),
        task: undefined,
        engineSeconds,
        audioSeconds: 1000,
        networks: [],
      });
    expect(await readWork()).toBe(7200 * 0.4);
    await context.database.pool.query("update workers set seen_at = now() - interval '1 hour'");
    expect(await readWork()).toBe(7200);
  });
});
