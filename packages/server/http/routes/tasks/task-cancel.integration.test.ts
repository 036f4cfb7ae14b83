import { asset as assetSchema, type Task } from "@stemwright/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone, toWav } from "../../../../../test/support/audio.ts";
import { startTestApi, type TestApi } from "../../../../../test/support/test-api.ts";
import {
  finishAll,
  type RunEngine,
  startWorkerOfApi,
  workUntilAborted,
} from "../../../../../test/support/test-worker.ts";
import { endTarget } from "../../../db/tasks/target-ends.ts";

let api: TestApi;
let assetId: string;
beforeAll(async () => {
  api = await startTestApi();
  // Shorter than the stub worker's limit on bytes.
  const content = toWav(makeTone({ sampleRateHz: 8000, channels: 1, lengthFrames: 200 }));
  assetId = assetSchema.parse(await (await api.upload(content, "a.wav")).json()).id;
});
afterAll(() => api.close());

const createTask = async (...models: string[]) => {
  const targets = models.map((model) => ({ model, formats: ["wav"] }));
  return (await (await api.post("/tasks", { assetId, targets })).json()) as Task;
};
const cancel = (id: string, init?: { key: string }) =>
  api.call(`/tasks/${id}/cancel`, { method: "POST", ...init });
const getTask = async (id: string) => (await (await api.call(`/tasks/${id}`)).json()) as Task;
const startWorker = (run: RunEngine) => startWorkerOfApi(api, run);

describe("cancelling a Task", () => {
  it("[T11] ends a waiting Task, which then never runs; repeating it changes nothing", async () => {
    const { id } = await createTask("vocals", "drums");
    const response = await cancel(id);
    expect(response.status).toBe(200);
    const cancelled = (await response.json()) as Task;
    expect(cancelled.completedAt).not.toBeNull();
    expect(cancelled).not.toHaveProperty("cost");
    const error = { code: 4001, message: "The client cancelled the Task" };
    expect(cancelled.targets.map((target) => [target.status, target.error, target.cost])).toEqual([
      ["error", error, undefined],
      ["error", error, undefined],
    ]);
    expect(await (await cancel(id)).json()).toEqual(cancelled);

    const ran: string[] = [];
    const worker = await startWorker(async (request, hooks) => {
      ran.push(...request.targets.map(({ model }) => model));
      await finishAll(request, hooks);
    });
    const next = await createTask("bass");
    await expect.poll(async () => (await getTask(next.id)).completedAt, { timeout: 20_000 }).not.toBeNull();
    await worker.close();
    expect(ran).toEqual(["bass"]);
    expect(await getTask(id)).toEqual(cancelled);
  });

  it("[T11] stops a running Task within two seconds; finished targets stay, with their cost", async () => {
    const stopped = Promise.withResolvers<number>();
    const worker = await startWorker(async (request, hooks) => {
      const [first, ...others] = request.targets;
      if (first) await finishAll({ ...request, targets: [first] }, hooks);
      await workUntilAborted({ ...request, targets: others }, hooks).finally(() =>
        stopped.resolve(performance.now()),
      );
    });
    const { id } = await createTask("vocals", "drums");
    await expect
      .poll(async () => (await getTask(id)).targets[0]?.status, { timeout: 20_000, interval: 50 })
      .toBe("completed");
    const askedAt = performance.now();
    const cancelled = (await (await cancel(id)).json()) as Task;
    expect(cancelled.targets.map(({ status, cost }) => [status, cost])).toEqual([
      ["completed", 2],
      ["error", undefined],
    ]);
    expect(cancelled.cost).toBe(2);
    expect((await stopped.promise) - askedAt).toBeLessThan(2000);
    await worker.close();
    expect((await getTask(id)).targets.map(({ status }) => status)).toEqual(["completed", "error"]);
  });

  it("[T11] a target that completes during the cancellation ends one way, and costs only if completed", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, targets } = await createTask("vocals", "drums");
      const complete = api.database.db.transaction().execute((tx) =>
        endTarget(tx, {
          taskId: id,
          targetId: targets[0]?.id ?? "",
          end: { status: "completed", durationSeconds: 1, output: [] },
        }),
      );
      const [isCompleted] = await Promise.all([complete, cancel(id)]);
      const task = await getTask(id);
      expect(task.targets.map(({ status }) => status)).toEqual([
        isCompleted ? "completed" : "error",
        "error",
      ]);
      expect(task.cost).toBe(isCompleted ? 1 : undefined);
      expect(task.completedAt).not.toBeNull();
    }
  });

  it("[T11] [E4] is 404 for an unknown Task and for another client's", async () => {
    const { id } = await createTask("vocals");
    const other = await api.addAccount();
    expect((await cancel(id, other)).status).toBe(404);
    expect((await cancel("nothing-of-that-id")).status).toBe(404);
    expect((await getTask(id)).targets[0]?.status).toBe("processing");
  });
});
