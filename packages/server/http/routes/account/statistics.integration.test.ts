import { type Task, usageRow } from "@stemwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startTestApi, type TestAccount, type TestApi } from "../../../../../test/support/test-api.ts";
import { addUsage } from "../../../db/credits/usage-rows.ts";
import { endTarget } from "../../../db/tasks/target-ends.ts";
import { deleteTask, insertTask } from "../../../db/tasks/task-rows.ts";
import { makeId } from "../../../domain/ids.ts";

let api: TestApi;
let account: TestAccount;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  account = await api.addAccount();
});

const statistics = async (query = "") => (await api.call(`/tasks/statistics${query}`, account)).json();
const use = (model: string, finishedAt: string, durationSeconds = 30, cost = 1) =>
  addUsage(api.database.db, {
    clientId: account.clientId,
    taskId: makeId(),
    model,
    durationSeconds,
    cost,
    finishedAt: new Date(finishedAt),
  });

/** A Task whose targets all complete now. */
async function completeTask(models: string[], durationSeconds: number): Promise<string> {
  const id = makeId();
  const targets = models.map((model) => ({ id: makeId(), model, formats: ["wav"], creditsPerMinute: 0.1 }));
  const { clientId } = account;
  await insertTask(api.database.db, {
    id,
    clientId,
    createdAt: new Date(),
    url: "https://x.example/a",
    targets,
  });
  await Promise.all(
    targets.map((target) =>
      api.database.db.transaction().execute((tx) =>
        endTarget(tx, {
          taskId: id,
          targetId: target.id,
          end: { status: "completed", durationSeconds, output: [] },
        }),
      ),
    ),
  );
  return id;
}

describe("statistics", () => {
  it("[X1] usage has a row per month, newest first, and is the default", async () => {
    await use("vocals", "2026-01-31T23:59:59.999Z", 90);
    await use("drums", "2026-02-01T00:00:00.000Z", 1);
    await use("drums", "2026-02-28T23:59:59.999Z", 200.5);
    const rows = await statistics("?name=usage");
    expect(rows).toEqual([
      { month: "2026-02", totalTargets: 2, totalMinutes: "3.36" },
      { month: "2026-01", totalTargets: 1, totalMinutes: "1.50" },
    ]);
    expect(await statistics()).toEqual(rows);
    expect(await statistics("/")).toEqual(rows);
  });

  it("[X1] months are in UTC, whatever the session's time zone", async () => {
    await api.database.db.transaction().execute(async (transaction) => {
      const { sql } = await import("kysely");
      await sql`set local time zone 'Pacific/Kiritimati'`.execute(transaction);
      await addUsage(transaction, {
        clientId: account.clientId,
        taskId: makeId(),
        model: "vocals",
        durationSeconds: 60,
        cost: 1,
        finishedAt: new Date("2025-12-31T23:30:00Z"),
      });
    });
    expect(await statistics()).toEqual([{ month: "2025-12", totalTargets: 1, totalMinutes: "1.00" }]);
  });

  it("[X2] distribution has a row per model, most used first, in exact decimals", async () => {
    await use("vocals", "2026-01-15T00:00:00Z", 30, 0.1);
    await use("drums", "2026-02-15T00:00:00Z", 30, 0.1);
    await use("drums", "2026-03-15T00:00:00Z", 60, 0.2);
    expect(await statistics("?name=distribution")).toEqual([
      { model: "drums", totalTargets: 2, totalMinutes: "1.50", totalCredits: 0.3 },
      { model: "vocals", totalTargets: 1, totalMinutes: "0.50", totalCredits: 0.1 },
    ]);
  });

  it("[X3] months limits the range, including the current month", async () => {
    const monthsAgo = (count: number) => {
      const now = new Date();
      return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1)).toISOString();
    };
    for (const count of [0, 1, 2, 13]) await use("vocals", monthsAgo(count));
    const months = async (query: string) =>
      ((await statistics(query)) as { month: string }[]).map(({ month }) => month);
    const all = [0, 1, 2, 13].map((count) => monthsAgo(count).slice(0, 7));
    expect(await months("?months=1")).toEqual(all.slice(0, 1));
    expect(await months("?months=2&name=usage")).toEqual(all.slice(0, 2));
    expect(await months("?months=13")).toEqual(all.slice(0, 3));
    expect(await months("?months=999")).toEqual(all);
    expect(await statistics("?name=distribution&months=3")).toMatchObject([{ totalTargets: 3 }]);
  });

  it.each([
    "?name=costs",
    "?name=",
    "?name=usage&name=usage",
    "?months=0",
    "?months=-1",
    "?months=1.5",
    "?months=x",
    "?months=",
  ])("[X3] %s is refused", async (query) => {
    const response = await api.call(`/tasks/statistics${query}`, account);
    expect(response.status).toBe(400);
    expect(((await response.json()) as { code: string }).code).toBe("STATISTICS_INVALID");
  });

  it("[X1] [X4] targets count when they complete, once, and stay counted when the Task is deleted", async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => completeTask(["vocals", "drums"], 61)));
    const month = new Date().toISOString().slice(0, 7);
    const expected = [{ month, totalTargets: 16, totalMinutes: "16.27" }];
    expect(await statistics()).toEqual(expected);
    for (const id of ids) await deleteTask(api.database.db, account.clientId, id);
    expect(await statistics()).toEqual(expected);
    expect(usageRow.array().parse(await statistics())).toEqual(expected);
    expect(await statistics("?name=distribution")).toMatchObject([
      { totalCredits: 1.6 },
      { totalCredits: 1.6 },
    ]);
  });

  it("[X1] failed and cancelled targets and those of other clients are not counted", async () => {
    const id = makeId();
    const targets = [{ id: makeId(), model: "vocals", formats: ["wav"], creditsPerMinute: 1 }];
    const { clientId } = account;
    await insertTask(api.database.db, {
      id,
      clientId,
      createdAt: new Date(),
      url: "https://x.example/a",
      targets,
    });
    const cancelled = (await (
      await api.call(`/tasks/${id}/cancel`, { method: "POST", ...account })
    ).json()) as Task;
    expect(cancelled.completedAt).not.toBeNull();
    expect(await statistics()).toEqual([]);
    expect(await statistics("?name=distribution")).toEqual([]);
    await completeTask(["vocals"], 1);
    expect(await (await api.call("/tasks/statistics", await api.addAccount())).json()).toEqual([]);
  });
});
