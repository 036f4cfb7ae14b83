import fc from "fast-check";
import { sql } from "kysely";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { waitForLock } from "../../../test/support/wait-for-lock.ts";
import { changeClient, insertClient } from "../db/accounts/client-rows.ts";
import { upsertWorker } from "../db/operation/worker-rows.ts";
import { releaseTaskLock, withTaskLock } from "../db/tasks/task-locks.ts";
import { findTask, insertTask } from "../db/tasks/task-rows.ts";
import { claimTask, giveBack, setLength } from "../db/tasks/task-run-rows.ts";
import { makeId } from "../domain/ids.ts";
import { RunLost, type TaskRun } from "../domain/tasks/task-run.ts";

let database: TestDatabase;
let createdTasks: number;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());
beforeEach(clear);

async function clear() {
  await database.pool.query("delete from clients");
  await database.pool.query("delete from workers");
  createdTasks = 0;
}

async function addClient(name: string, turns: Parameters<typeof changeClient>[2] = {}): Promise<void> {
  await insertClient(database.db, { id: name, name });
  await changeClient(database.db, name, turns);
}

/** Tasks created a second apart, named after their client. */
async function addTasks(
  clientId: string,
  count: number,
  fields: { priority?: number; isLong?: boolean } = {},
): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    createdTasks += 1;
    const id = `${clientId}-${String(createdTasks).padStart(3, "0")}`;
    const target = { id: makeId(), model: "vocals", formats: ["wav"], creditsPerMinute: 1 };
    const createdAt = new Date(Date.UTC(2026, 0, 1) + createdTasks * 1000);
    await insertTask(database.db, {
      ...{ id, clientId, createdAt, url: "https://media.example/a.wav", targets: [target] },
      ...fields,
    });
    ids.push(id);
  }
  return ids;
}

const addWorkers = async (count: number) => {
  const idle = { host: "h", pid: 1, version: "1", startedAt: new Date(), memoryBytes: 1 };
  for (let index = 0; index < count; index += 1)
    await upsertWorker(database.db, {
      ...{ id: `worker-${index}`, ...idle },
      ...{ task: undefined, engineSeconds: 0, audioSeconds: 0, networks: [] },
    });
};

/** Claims the next Task like a worker. The lock is released at once: only the order matters here. */
const claim = (clientRunningMax = 0): Promise<TaskRun | undefined> =>
  database.db.connection().execute(async (session) => {
    const run = await claimTask(session, { workerId: "test", token: makeId(), clientRunningMax });
    if (run) await releaseTaskLock(session, run.taskId);
    return run;
  });
const complete = (run: TaskRun) =>
  database.pool.query("update tasks set completed_at = now() where id = $1", [run.taskId]);

/** What one worker claims, in order. */
async function workOff(count: number, clientRunningMax?: number): Promise<string[]> {
  const taken: string[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const run = await claim(clientRunningMax);
    if (!run) break;
    taken.push(run.taskId);
    await complete(run);
  }
  return taken;
}
const clientsOf = (ids: string[]) => ids.map((id) => id.split("-")[0]).join("");
const positionOf = async (id: string) => (await findTask(database.db, id))?.queuePosition;

describe("turns", () => {
  it("[Q7] a client's single Task is next, however many another has queued", async () => {
    await addClient("a");
    await addClient("b");
    await addTasks("a", 200);
    expect(clientsOf(await workOff(3))).toBe("aaa");
    const [only = ""] = await addTasks("b", 1);
    expect(await positionOf(only)).toBe(1);
    expect(await workOff(1)).toEqual([only]);
  });

  it("[Q7] clients alternate, with turns in proportion to their weight", async () => {
    await addClient("a");
    await addClient("b", { weight: 3 });
    await addTasks("a", 20);
    await addTasks("b", 20);
    expect(clientsOf(await workOff(12)).match(/b/g)).toHaveLength(9);
    await changeClient(database.db, "b", { weight: 1 });
    expect(clientsOf(await workOff(12)).match(/b/g)).toHaveLength(6);
  });

  it("[Q7] an idle client saves up no turns", async () => {
    await addClient("a");
    await addClient("b");
    await addTasks("a", 40);
    await workOff(20);
    await addTasks("b", 20);
    expect(clientsOf(await workOff(10)).match(/a/g)).toHaveLength(5);
  });

  it("[Q7] priority orders a client's own Tasks, and gains nothing over others", async () => {
    await addClient("a");
    await addClient("b");
    const [low = "", low2 = ""] = await addTasks("a", 2, { priority: 1 });
    const [usual = ""] = await addTasks("a", 1);
    const [high = ""] = await addTasks("a", 1, { priority: 9 });
    const [other = ""] = await addTasks("b", 1, { priority: 0 });
    const line = [high, other, usual, low, low2];
    expect(await Promise.all(line.map(positionOf))).toEqual([1, 2, 3, 4, 5]);
    expect(await workOff(5)).toEqual(line);
  });

  it("[Q4] [Q7] a returned Task gives its client the turn back, and no attempt is counted", async () => {
    await addClient("a");
    await addClient("b");
    const [first = ""] = await addTasks("a", 2);
    await addTasks("b", 2);
    const run = await claim();
    expect(run?.taskId).toBe(first);
    if (run) await giveBack(database.db, run);
    const { rows } = await database.pool.query("select attempts from tasks where id = $1", [first]);
    expect(rows).toEqual([{ attempts: 0 }]);
    expect(clientsOf(await workOff(4))).toBe("abab");
  });
});

describe("limits on running Tasks", () => {
  const takeAll = async (clientRunningMax: number) => {
    const taken: string[] = [];
    for (let run = await claim(clientRunningMax); run; run = await claim(clientRunningMax))
      taken.push(run.taskId);
    return clientsOf(taken);
  };

  it("[Q8] limit a client's running Tasks, and others overtake it", async () => {
    await addClient("a");
    await addClient("b", { runningMax: 3 });
    await addClient("c", { runningMax: 0 });
    for (const name of ["a", "b", "c"]) await addTasks(name, 5);
    expect([...(await takeAll(2))].sort().join("")).toBe("aabbbccccc");
    await changeClient(database.db, "b", { runningMax: "default" });
    await database.pool.query(
      "update tasks set completed_at = now() where run_token is not null and client_id = 'b'",
    );
    expect(await takeAll(2)).toBe("bb");
  });

  it("[Q8] [T14] are part of queue positions: clients at their limit are overtaken", async () => {
    await addWorkers(4);
    await addClient("a", { runningMax: 1 });
    await addClient("b");
    await addTasks("a", 1);
    await claim();
    const [first = "", second = ""] = await addTasks("a", 2);
    const others = await addTasks("b", 8);
    // While one of a's Tasks runs, three of b's do on the other workers.
    expect(await Promise.all(others.map(positionOf))).toEqual([1, 2, 3, 4, 6, 7, 8, 10]);
    expect(await Promise.all([first, second].map(positionOf))).toEqual([5, 9]);
  });
});

describe("the lane for short Tasks", () => {
  it("[Q9] long Tasks leave one worker free if there is more than one", async () => {
    await addWorkers(3);
    await addClient("a");
    const long = await addTasks("a", 3, { isLong: true, priority: 9 });
    const [short = ""] = await addTasks("a", 1);
    const runs = [await claim(), await claim(), await claim(), await claim()];
    expect(runs.map((run) => run?.taskId)).toEqual([long[0], long[1], short, undefined]);
    if (runs[0]) await complete(runs[0]);
    expect((await claim())?.taskId).toBe(long[2]);
  });

  const LONG = { audioSeconds: 7200, isLong: true };
  const getRun = (run: TaskRun | undefined): TaskRun => {
    if (!run) throw new Error("nothing was claimed");
    return run;
  };

  it("[Q9] of two Tasks that turn out to be long at the same moment, one waits", async () => {
    await addWorkers(2);
    await addClient("a");
    await addTasks("a", 2);
    const [first, second] = [getRun(await claim()), getRun(await claim())];
    let other: Promise<boolean> | undefined;
    await database.db.transaction().execute(async (transaction) => {
      expect(await setLength(transaction, first, LONG)).toBe(true);
      other = setLength(database.db, second, LONG);
      await waitForLock(database.pool, other);
    });
    expect(await other).toBe(false);
  });

  it("[Q9] no claim waits for a Task that turns out to be long while a client cancels it", async () => {
    await addClient("a");
    const [, free] = await addTasks("a", 2);
    const run = getRun(await claim());
    let noted: Promise<boolean> | undefined;
    await database.db.transaction().execute(async (transaction) => {
      await sql`update tasks set completed_at = now() where id = ${run.taskId}`.execute(transaction);
      noted = setLength(database.db, run, LONG);
      await waitForLock(database.pool, noted);
      expect((await claim())?.taskId).toBe(free);
    });
    await expect(noted).rejects.toThrow(RunLost);
  });

  it("[Q9] a single worker takes them in order", async () => {
    await addWorkers(1);
    await addClient("a");
    const [long] = await addTasks("a", 1, { isLong: true });
    const [short] = await addTasks("a", 1);
    expect(await workOff(2)).toEqual([long, short]);
  });

  it("[Q9] [T14] while long Tasks have all the workers they may have, short ones come first", async () => {
    await addWorkers(2);
    await addClient("a");
    await addClient("b");
    const [running, waiting = ""] = await addTasks("a", 2, { isLong: true });
    expect((await claim())?.taskId).toBe(running);
    const short = [...(await addTasks("b", 2)), ...(await addTasks("a", 1))];
    expect(await positionOf(waiting)).toBe(4);
    expect((await Promise.all(short.map(positionOf))).sort()).toEqual([1, 2, 3]);
  });
});

describe("queue positions", () => {
  it("[T14] match the order in which Tasks are claimed, for any weights, priorities and turns", async () => {
    const line = fc.record({
      weights: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 }),
      arrivals: fc.array(
        fc.record({ client: fc.nat(3), priority: fc.option(fc.nat(9), { nil: undefined }) }),
        { maxLength: 16 },
      ),
      /** How many were created, and some claimed, before the others. */
      early: fc.nat(8),
    });
    await fc.assert(
      fc.asyncProperty(line, async ({ weights, arrivals, early }) => {
        await clear();
        for (const [index, weight] of weights.entries()) await addClient(`c${index}`, { weight });
        const arrive = async (some: typeof arrivals) => {
          for (const { client, priority } of some)
            await addTasks(`c${client % weights.length}`, 1, priority === undefined ? {} : { priority });
        };
        await arrive(arrivals.slice(0, early));
        await workOff(Math.ceil(early / 2));
        await arrive(arrivals.slice(early));
        const { rows } = await sql<{ id: string }>`select id from tasks where completed_at is null`.execute(
          database.db,
        );
        const places = await Promise.all(rows.map(async ({ id }) => ({ id, place: await positionOf(id) })));
        const told = places.toSorted((a, b) => (a.place ?? 0) - (b.place ?? 0)).map(({ id }) => id);
        expect(places.map(({ place }) => place).sort((a = 0, b = 0) => a - b)).toEqual(
          rows.map((_, index) => index + 1),
        );
        expect(told).toEqual(await workOff(100));
      }),
      { numRuns: 40 },
    );
  });

  it("[T14] are counted up to a thousand, over all clients", async () => {
    await addClient("a");
    await addClient("b");
    const fill = (client: string) =>
      database.pool.query(
        "insert into tasks (id, client_id, url, created_at) select $1 || '-' || n, $1, 'https://x.example', now() from generate_series(1, 3000) n",
        [client],
      );
    await fill("a");
    await fill("b");
    expect(await positionOf("a-2999")).toBe(1000);
  });
});

describe("a Task that can't be claimed", () => {
  it("[Q5] is skipped while another session holds its lock", async () => {
    await addClient("a");
    const [held = "", free] = await addTasks("a", 2);
    await withTaskLock(database.db, held, async () => {
      expect((await claim())?.taskId).toBe(free);
      expect(await claim()).toBeUndefined();
    });
    expect((await claim())?.taskId).toBe(held);
  });

  it("[Q5] is skipped while a client is cancelling it, and nobody waits for that", async () => {
    await addClient("a");
    const [cancelled, free] = await addTasks("a", 2);
    await database.db.transaction().execute(async (transaction) => {
      await sql`select from tasks where id = ${cancelled} for update`.execute(transaction);
      expect((await claim())?.taskId).toBe(free);
    });
  });

  it("[Q5] goes to one of many workers that claim at once", async () => {
    await addClient("a");
    await addTasks("a", 3);
    const runs = await Promise.all(Array.from({ length: 5 }, () => claim()));
    const taken = runs.flatMap((run) => run?.taskId ?? []);
    expect(new Set(taken).size).toBe(taken.length);
    expect(taken).toHaveLength(3);
  });
});

describe("finished Tasks", () => {
  /** The indexes and tables that a statement reads, as PostgreSQL plans it. */
  const explain = async (statement: string) => {
    const { rows } = await database.pool.query<{ "QUERY PLAN": string }>(`explain ${statement}`);
    return rows.map((row) => row["QUERY PLAN"]).join("\n");
  };

  it("[Q1] are never scanned to find waiting ones, whatever the table probes like", async () => {
    await addClient("a");
    await addClient("b");
    // If everything waits, every index and the table itself look as good as the index of waiting Tasks.
    await addTasks("a", 30);
    await addTasks("b", 30);
    await database.pool.query("analyze tasks");
    const plan = await explain("select * from waiting_clients");
    expect(plan).toContain("tasks_waiting");
    expect(plan).not.toMatch(/tasks_newest|Seq Scan on tasks/);
  });
});

describe("what PostgreSQL expects of a claim", () => {
  it("[Q1] is a few rows, before any table was analyzed: a plan that probes expensive is compiled for seconds", async () => {
    const fresh = await openTestDatabase();
    const { rows } = await fresh.pool.query<{ "QUERY PLAN": { Plan: { "Plan Rows": number } }[] }>(
      "explain (format json) select * from waiting_clients",
    );
    expect(rows[0]?.["QUERY PLAN"][0]?.Plan["Plan Rows"]).toBeLessThan(1000);
    await fresh.close();
  });

  it("[Q1] is compiled by no function that holds a lock of the whole service, whichever migration made it last", async () => {
    const { rows } = await database.pool.query<{ name: string; settings: string[] | null }>(
      `select proname as name, proconfig as settings from pg_proc
       where pronamespace = 'public'::regnamespace and prosrc like '%pg_advisory_xact_lock(%' order by name`,
    );
    expect(rows).toEqual(
      ["claim_realignment", "claim_task", "set_task_length"].map((name) => ({ name, settings: ["jit=off"] })),
    );
  });
});
