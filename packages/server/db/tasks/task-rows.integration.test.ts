import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { beginRun } from "../../../../test/support/begin-run.ts";
import { openTestDatabase, type TestDatabase } from "../../../../test/support/test-database.ts";
import { makeId } from "../../domain/ids.ts";
import { toTask } from "../../domain/tasks/task-view.ts";
import { insertClient } from "../accounts/client-rows.ts";
import { cancelTask, endTarget } from "./target-ends.ts";
import { deleteTask, findTask, insertTask, listTasks, setProgress } from "./task-rows.ts";
import { giveBack } from "./task-run-rows.ts";

let database: TestDatabase;
let clientId: string;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.pool.query("delete from tasks");
  clientId = makeId();
  await insertClient(database.db, { id: clientId, name: "Test" });
});

type Rates = Record<string, number>;
async function createTask(rates: Rates = { vocals: 1 }, createdAt = new Date()) {
  const targets = Object.entries(rates).map(([model, creditsPerMinute]) => ({
    id: makeId(),
    model,
    formats: ["json"],
    creditsPerMinute,
  }));
  const task = { id: makeId(), clientId, createdAt, url: "https://media.example/a.wav", targets };
  await insertTask(database.db, task);
  return task;
}
const complete = (taskId: string, targetId: string, durationSeconds: number) =>
  database.db
    .transaction()
    .execute((tx) =>
      endTarget(tx, { taskId, targetId, end: { status: "completed", durationSeconds, output: [] } }),
    );
const costsOf = async (id: string) =>
  (await findTask(database.db, id))?.targets.map(({ cost }) => cost ?? 0).sort((a, b) => a - b);

describe("the price of a pair", () => {
  it("[C2] the later one is charged the rest, even if both complete at once", async () => {
    for (let round = 0; round < 10; round += 1) {
      const { id, targets } = await createTask({ transcription: 1, alignment: 1, vocals: 1 });
      await Promise.all(targets.map((target) => complete(id, target.id, 61)));
      expect(await costsOf(id)).toEqual([1, 2, 2]);
    }
  });

  it("[C2] negotiated rates keep the ratio, in exact decimals", async () => {
    const { id, targets } = await createTask({ transcription: 0.1, alignment: 0.3 });
    await Promise.all(targets.map((target) => complete(id, target.id, 170)));
    const task = await findTask(database.db, id);
    expect(task && toTask(task, { sign: () => "" }).cost).toBe(0.9);
  });

  it("[C2] a target whose partner failed costs its own rate", async () => {
    const { id, targets } = await createTask({ transcription: 1, alignment: 1 });
    await complete(id, targets[1]?.id ?? "", 30);
    await database.db.transaction().execute((tx) => cancelTask(tx, clientId, id));
    expect(await costsOf(id)).toEqual([0, 1]);
  });
});

describe("the queue of waiting Tasks", () => {
  const positionOf = async (id: string) => (await findTask(database.db, id))?.queuePosition;

  it("[T14] positions follow the order of creation; running and finished Tasks have none", async () => {
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
    const third = await createTask({ vocals: 1 }, at(3));
    const first = await createTask({ vocals: 1 }, at(1));
    const second = await createTask({ vocals: 1 }, at(2));
    const ids = [first.id, second.id, third.id];
    expect(await Promise.all(ids.map(positionOf))).toEqual([1, 2, 3]);
    const run = await beginRun(database.db, first.id);
    expect(await Promise.all(ids.map(positionOf))).toEqual([undefined, 1, 2]);
    await database.db.transaction().execute((tx) => cancelTask(tx, clientId, second.id));
    expect(await Promise.all(ids.map(positionOf))).toEqual([undefined, undefined, 1]);
    await giveBack(database.db, run);
    const { items } = await listTasks(database.db, clientId, { skip: 0, take: 10 });
    expect(items.map(({ queuePosition }) => queuePosition)).toEqual([2, undefined, 1]);
  });

  it("[T14] positions are counted up to a thousand", async () => {
    await database.pool.query(
      "insert into tasks (id, client_id, url, created_at) select 'filler-' || n, $1, 'https://x.example', now() - interval '1 day' from generate_series(1, 1100) n",
      [clientId],
    );
    expect(await positionOf((await createTask()).id)).toBe(1000);
    expect(await positionOf("filler-1")).toBe(1);
  });

  it("[T9] [Q12] progress sends no notification, and returns the state of the run", async () => {
    const { id, targets } = await createTask();
    const targetId = targets[0]?.id ?? "";
    const run = await beginRun(database.db, id);
    const received: (string | undefined)[] = [];
    const listener = await database.pool.connect();
    onTestFinished(() => listener.release(true));
    listener.on("notification", ({ payload }) => received.push(payload));
    await listener.query("listen task_changes");
    expect(await setProgress(database.db, run, [{ targetId, progress: 0.25 }])).toBe("on");
    expect(await setProgress(database.db, { ...run, token: "another" }, [{ targetId, progress: 0.5 }])).toBe(
      "lost",
    );
    expect((await findTask(database.db, id))?.targets[0]?.progress).toBe(0.25);
    await database.pool.query("select pg_notify('task_changes', 'behind it')");
    await expect.poll(() => received).toContain("behind it");
    expect(received).toEqual(["behind it"]);
    await database.db.transaction().execute((tx) => cancelTask(tx, clientId, id));
    expect(await setProgress(database.db, run, [])).toBe("over");
    await deleteTask(database.db, clientId, id);
    expect(await setProgress(database.db, run, [])).toBe("over");
  });

  it("[T14] a report with a remaining time sets the expected end", async () => {
    const { id, targets } = await createTask();
    const targetId = targets[0]?.id ?? "";
    const run = await beginRun(database.db, id);
    await setProgress(database.db, run, [{ targetId, progress: 0.25 }]);
    expect((await findTask(database.db, id))?.targets[0]?.expectedAt).toBeUndefined();
    const beforeMs = Date.now();
    await setProgress(database.db, run, [{ targetId, progress: 0.5, secondsLeft: 60 }]);
    const expectedAt = (await findTask(database.db, id))?.targets[0]?.expectedAt?.getTime();
    expect(expectedAt).toBeGreaterThanOrEqual(beforeMs + 60_000 - 1);
    expect(expectedAt).toBeLessThanOrEqual(Date.now() + 60_000);
  });

  it("[T9] [T14] each target has its own progress and time, and neither falls with the other's", async () => {
    const { id, targets } = await createTask({ vocals: 1, transcription: 1 });
    const run = await beginRun(database.db, id);
    const [vocals = "", words = ""] = targets.map((target) => target.id);
    await setProgress(database.db, run, [
      { targetId: vocals, progress: 0.5, secondsLeft: 10 },
      { targetId: words, progress: 0.25, secondsLeft: 100 },
    ]);
    await setProgress(database.db, run, [
      { targetId: vocals, progress: 0.25 },
      { targetId: words, progress: 0.75 },
    ]);
    const other = await createTask();
    // Those of another Task are not affected.
    const otherRun = await beginRun(database.db, other.id);
    await setProgress(database.db, otherRun, [{ targetId: words, progress: 1 }]);
    const read = (await findTask(database.db, id))?.targets ?? [];
    expect(read.map(({ progress, expectedAt }) => [progress, expectedAt])).toEqual([
      [0.5, undefined],
      [0.75, undefined],
    ]);
  });

  it("[T9] [T14] a run starts with the previous run's progress, never falls below it, and has its own time", async () => {
    const { id, targets } = await createTask();
    const targetId = targets[0]?.id ?? "";
    await setProgress(database.db, await beginRun(database.db, id), [
      { targetId, progress: 0.5, secondsLeft: 60 },
    ]);
    const run = await beginRun(database.db, id);
    const [begun] = (await findTask(database.db, id))?.targets ?? [];
    expect(begun).toMatchObject({ progress: 0.5 });
    expect(begun?.expectedAt).toBeUndefined();
    await setProgress(database.db, run, [{ targetId, progress: 0.25, secondsLeft: 90 }]);
    const [behind] = (await findTask(database.db, id))?.targets ?? [];
    expect(behind).toMatchObject({ progress: 0.5, expectedAt: expect.any(Date) });
  });
});

describe("the total of a list", () => {
  const total = async (client = clientId) =>
    (await listTasks(database.db, client, { skip: 0, take: 1 })).total;

  it("[L1] every page is the same part of the list, whichever end it is read from", async () => {
    // Three at a time share a creation time, so that ties are tested too.
    for (let n = 0; n < 11; n += 1) await createTask({ vocals: 1 }, new Date(Math.floor(n / 3) * 1000));
    const list = async (skip: number, take: number) =>
      (await listTasks(database.db, clientId, { skip, take })).items.map(({ id }) => id);
    const all = await list(0, 100);
    expect(all).toHaveLength(11);
    for (let skip = 0; skip <= 12; skip += 1)
      for (const take of [1, 4, 100]) expect(await list(skip, take)).toEqual(all.slice(skip, skip + take));
  });

  it("[L2] is exact under concurrent inserts and deletes", async () => {
    const made = await Promise.all(Array.from({ length: 40 }, () => createTask()));
    expect(await total()).toBe(40);
    const remove = made
      .slice(0, 15)
      .map(({ id }) => database.db.transaction().execute((tx) => deleteTask(tx, clientId, id)));
    await Promise.all([...remove, ...Array.from({ length: 10 }, () => createTask())]);
    expect(await total()).toBe(35);
    const { rows } = await database.pool.query("select count(*) from tasks where client_id = $1", [clientId]);
    expect(rows[0].count).toBe(35);
  });

  it("[L2] excludes rolled-back inserts and other clients' Tasks", async () => {
    await createTask();
    const failing = database.db.transaction().execute(async (tx) => {
      const target = { id: makeId(), model: "vocals", formats: ["wav"], creditsPerMinute: 1 };
      await insertTask(tx, {
        id: makeId(),
        clientId,
        createdAt: new Date(),
        url: "https://x.example",
        targets: [target],
      });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await total()).toBe(1);
    expect(await total("somebody-else")).toBe(0);
  });

  it("[L2] is deleted with the client", async () => {
    await createTask();
    await database.pool.query("delete from clients where id = $1", [clientId]);
    expect(await total()).toBe(0);
  });
});
