import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { openTaskQueue } from "./task-queue.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

describe("the queue", () => {
  it("[Q3] counts attempts on over a job that is passed on, and does not count the passing on", async () => {
    const queue = await openTaskQueue({ connectionString: database.url, onError: () => {} });
    const abandoned = Promise.withResolvers<string>();
    const calls: string[] = [];
    await queue.work({
      async runTask(_taskId, job) {
        calls.push(calls.length === 1 ? "passed on" : "failed");
        if (calls.length === 2) await job.passOn();
        else throw new Error("a fault of the machine");
      },
      abandonTask: async (taskId) => abandoned.resolve(taskId),
    });
    await database.db.transaction().execute((transaction) => queue.sendTask(transaction, "a-task"));
    expect(await abandoned.promise).toBe("a-task");
    expect(calls).toEqual(["failed", "passed on", "failed", "failed", "failed", "failed"]);
    await queue.close();
  });
});
