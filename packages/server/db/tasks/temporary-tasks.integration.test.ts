import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { makeId } from "../../domain/ids.ts";
import { insertClient } from "../accounts/client-rows.ts";
import { setWebhook } from "../webhooks/webhook-rows.ts";
import { endTarget } from "./target-ends.ts";
import { insertTask } from "./task-rows.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

describe("a temporary Task", () => {
  it("[J16] sends no webhook when its target ends, unlike any other", async () => {
    const { db } = database;
    const clientId = makeId();
    await insertClient(db, { id: clientId, name: "Test" });
    await setWebhook(db, clientId, "https://example.com/hook");
    for (const isTemporary of [true, false]) {
      const [taskId, targetId] = [makeId(), makeId()];
      const targets = [{ id: targetId, model: "transcription", formats: ["json"], creditsPerMinute: 1 }];
      const task = { id: taskId, clientId, createdAt: new Date(), assetId: makeId(), isTemporary, targets };
      await insertTask(db, task);
      await db.transaction().execute((transaction) =>
        endTarget(transaction, {
          taskId,
          targetId,
          end: { status: "completed", durationSeconds: 1, output: [] },
        }),
      );
      const owed = await db.selectFrom("deliveries").select("id").where("task_id", "=", taskId).execute();
      expect(owed).toHaveLength(isTemporary ? 0 : 1);
    }
  });
});
