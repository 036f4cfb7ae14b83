import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { toWav } from "../../../../test/support/audio.ts";
import { makeGainEngines } from "../../../../test/support/gain-engine.ts";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { TEST_MACHINE } from "../../../../test/support/test-worker.ts";
import { openWorkerContext, type WorkerContext } from "../../../../test/support/worker-context.ts";
import { listLeftSpans, makeSpanOffers, makeSpanQueue } from "../../db/spans/span-rows.ts";
import { cancelTask } from "../../db/tasks/target-ends.ts";
import { toSpansFolder } from "../../domain/spans/span-record.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import { openHelperDir, sweepHelperDirs } from "../work-dirs/open-helper-dir.ts";

const SEGMENT_FRAMES = 4000;
/** Some twenty segments, in seven spans. */
const SONG = { sampleRateHz: 44_100, lengthFrames: 61_234 };
const FROM_SECONDS = 0.65;

let context: WorkerContext;
beforeAll(async () => {
  context = await openWorkerContext();
});
beforeEach(async () => {
  await context.addClient();
  await context.storeSong(SONG);
  await query(
    "insert into workers (id, host, pid, version, started_at, seen_at, memory_bytes, engine_seconds, audio_seconds, machine) values ('other', 'h', 1, '1', now(), now() + interval '1 day', 0, 0, 0, $1) on conflict do nothing",
    [TEST_MACHINE],
  );
});
afterEach(() => context.closeWorkers());
afterAll(() => context.close());

type BeforeSegment = NonNullable<Parameters<typeof makeGainEngines>[0]["beforeSegment"]>;

/** A separate machine: it shares only database and store with the others. */
async function startMachine(beforeSegment: BeforeSegment = async () => {}, options = {}) {
  const workDir = await makeTempDir("machine");
  await mkdir(workDir, { recursive: true });
  const engines = makeGainEngines({ beforeSegment, segmentFrames: SEGMENT_FRAMES });
  const { run, runSpan, segments } = engines;
  const worker = await context.startWorker(run, {
    workDir,
    spans: { fromSeconds: FROM_SECONDS, runSpan },
    ...options,
  });
  return { ...worker, workDir, segments };
}

const query = async <Row>(text: string, values: unknown[] = []) =>
  (await context.database.pool.query(text, values)).rows as Row[];
const countStored = async () => (await query("select from spans where stored_key is not null")).length;
const listFiles = async (id: string) =>
  await readdir(join(context.workDir, "..", "blobs", toSpansFolder(id)), { recursive: true }).catch(() => []);

async function readOutput({ targets }: TaskRecord): Promise<string> {
  const key = targets[0]?.output[0]?.blobKey ?? "";
  return (await buffer(await context.blobs.read(key))).toString("base64");
}

/** Blocks the Task's own worker at its second segment until a condition holds. */
function standUntil(isSo: () => Promise<boolean>): BeforeSegment {
  return async (index) => {
    if (index === 2) await expect.poll(isSo).toBe(true);
  };
}

/** The result of a single worker. */
async function makeAlone(): Promise<{ task: TaskRecord; segments: number }> {
  const worker = await startMachine();
  const task = await context.waitForEnd(await context.createTask(["vocals"]));
  await worker.close();
  return { task, segments: worker.segments() };
}

describe("a long input", () => {
  it("[Q14] [Q15] [Q16] is shared among workers, with the same cost and outputs as with one, and leaves nothing behind", async () => {
    const alone = await makeAlone();
    const id = await context.createTask(["vocals"]);
    const leader = await startMachine(standUntil(async () => (await countStored()) >= 3));
    await expect.poll(() => leader.segments()).toBeGreaterThan(0);
    const helper = await startMachine();
    const task = await context.waitForEnd(id);
    expect(await readOutput(task)).toBe(await readOutput(alone.task));
    const [together, single] = [task, alone.task].map(({ targets }) => targets[0]);
    expect(together).toMatchObject({
      status: "completed",
      cost: single?.cost,
      durationSeconds: single?.durationSeconds,
    });
    expect(helper.segments()).toBeGreaterThan(3);
    expect(leader.segments()).toBeLessThan(alone.segments);
    await expect.poll(() => query("select from span_parts")).toEqual([]);
    expect(await listFiles(id)).toEqual([]);
    await expect.poll(() => readdir(helper.workDir)).toEqual([]);
  });

  it("[Q18] is not shared without another worker", async () => {
    await query("delete from workers");
    const alone = await makeAlone();
    const offered: unknown[] = [];
    const id = await context.createTask(["vocals"]);
    const worker = await startMachine(async () => {
      offered.push(...(await query("select part from span_parts")));
    });
    await context.waitForEnd(id);
    expect(offered).toEqual([]);
    expect(worker.segments()).toBe(alone.segments);
  });

  it("[Q18] never delays a Task: a helper claims it at once", async () => {
    const id = await context.createTask(["vocals"]);
    const goOn = Promise.withResolvers<void>();
    const leader = await startMachine(async (index) => {
      if (index === 2) await goOn.promise;
    });
    await expect.poll(() => leader.segments()).toBeGreaterThan(2);
    const helping = Promise.withResolvers<void>();
    const stuckWhenHelping: BeforeSegment = async (index, signal) => {
      helping.resolve();
      if (index === 0) await new Promise((resolve) => signal?.addEventListener("abort", resolve));
    };
    await startMachine(stuckWhenHelping);
    await helping.promise;
    await context.addClient();
    const path = join(await makeTempDir("song"), "song.wav");
    await writeFile(path, toWav({ sampleRateHz: 44_100, channels: [new Float32Array(5000)] }));
    await context.blobs.adopt(`assets/${context.assetId}/a.wav`, path);
    const short = await context.waitForEnd(await context.createTask(["vocals"]));
    expect(short.targets[0]?.status).toBe("completed");
    expect(await query("select from spans where faults > 0")).toEqual([]);
    goOn.resolve();
    expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
  });

  it("[Q16] stops everywhere when cancelled, and leaves nothing behind", async () => {
    const id = await context.createTask(["vocals"]);
    const stopped = { leader: false, helper: false };
    const stuck =
      (who: "leader" | "helper"): BeforeSegment =>
      async (index, signal) => {
        if (index < 2) return;
        await new Promise((resolve) => signal?.addEventListener("abort", resolve));
        stopped[who] = true;
      };
    const leader = await startMachine(stuck("leader"));
    await expect.poll(() => leader.segments()).toBeGreaterThan(2);
    const helper = await startMachine(stuck("helper"));
    await expect.poll(() => helper.segments()).toBeGreaterThan(2);
    await context.database.db
      .transaction()
      .execute((transaction) => cancelTask(transaction, context.clientId, id));
    await expect.poll(() => stopped).toEqual({ leader: true, helper: true });
    await expect.poll(() => query("select from span_parts")).toEqual([]);
    await expect.poll(() => listFiles(id)).toEqual([]);
  });

  it("[Q15] is made by its own worker if helpers fail or their results are gone", async () => {
    const alone = await makeAlone();
    const id = await context.createTask(["vocals"]);
    let isBroken = false;
    const leader = await startMachine(
      standUntil(async () => {
        const failed = await query("select from spans where faults >= 2");
        const stored = await query<{ stored_key: string }>(
          "select stored_key from spans where stored_key is not null",
        );
        if (failed.length === 0 || stored.length === 0) return false;
        for (const { stored_key } of stored) await context.blobs.delete(stored_key);
        isBroken = true;
        return true;
      }),
    );
    await expect.poll(() => leader.segments()).toBeGreaterThan(0);
    // It makes one span, and fails from then on.
    const helper = await startMachine(async (index) => {
      if (index > 5) throw new Error("broken");
    });
    const task = await context.waitForEnd(id);
    expect(isBroken).toBe(true);
    expect(helper.segments()).toBeGreaterThan(5);
    expect(await readOutput(task)).toBe(await readOutput(alone.task));
  });

  it("[Q17] is left to workers with the same networks", async () => {
    const id = await context.createTask(["vocals"]);
    const asked = Promise.withResolvers<void>();
    const leader = await startMachine(async (index) => {
      if (index === 2) await asked.promise;
    });
    await expect.poll(() => leader.segments()).toBeGreaterThan(0);
    let spans = 0;
    await startMachine(undefined, {
      spans: {
        fromSeconds: FROM_SECONDS,
        runSpan: async () => {
          spans += 1;
          asked.resolve();
          return { kind: "unfit" };
        },
      },
    });
    expect((await context.waitForEnd(id)).targets[0]?.status).toBe("completed");
    expect(spans).toBe(1);
  });
});

describe("spans", () => {
  const offer = async (taskId: string, begun: number[] = []) => {
    const token = `run-of-${taskId}`;
    await query("update tasks set run_token = $2, worker_id = 'leader' where id = $1", [taskId, token]);
    const part = { key: "gain/plain", spanCount: 4, finishedSpans: 0, work: "{}" };
    await makeSpanOffers(context.database.db, TEST_MACHINE).offer(
      { taskId, token },
      { parts: [part], begun: begun.map((index) => ({ part: part.key, index })), inputKey: "input" },
    );
    return { taskId, token };
  };
  const claim = async () => {
    const span = await makeSpanQueue(context.database.db, TEST_MACHINE).claim({
      token: "t",
      workerId: "w",
      exceptTaskIds: [],
    });
    return span && { taskId: span.taskId, index: span.index };
  };

  it("[Q18] of the client with the fewest helpers come first, the last of a Task before the others", async () => {
    const first = await context.createTask(["vocals"]);
    await offer(first, [0]);
    await context.addClient();
    const second = await context.createTask(["vocals"]);
    await offer(second);
    expect([await claim(), await claim(), await claim(), await claim()]).toEqual([
      { taskId: first, index: 3 },
      { taskId: second, index: 3 },
      { taskId: first, index: 2 },
      { taskId: second, index: 2 },
    ]);
    await query("delete from tasks where id = any($1)", [[first, second]]);
  });

  it("[Q15] of a dead worker go to others and to the Task's own worker, and it can no longer end them", async () => {
    const run = await offer(await context.createTask(["vocals"]));
    const { db } = context.database;
    const [offers, queue] = [makeSpanOffers(db, TEST_MACHINE), makeSpanQueue(db, TEST_MACHINE)];
    const lost = await queue.claim({ token: "lost", workerId: "w", exceptTaskIds: [] });
    if (!lost) throw new Error("no span");
    const span = { part: lost.part, index: lost.index };
    expect(await offers.takeOwn(run, span)).toBe(false);
    await query("update spans set claimed_until = now() - interval '1 second' where run_token = 'lost'");
    expect(await queue.claim({ token: "next", workerId: "w", exceptTaskIds: [] })).toMatchObject(span);
    expect(await queue.hold(lost, 0.5)).toBe(false);
    expect(await queue.end(lost, { key: "k", files: [] })).toBe(false);
    await query("update spans set claimed_until = now() - interval '1 second' where run_token = 'next'");
    expect(await offers.takeOwn(run, span)).toBe(true);
    expect(await queue.hold({ ...lost, token: "next" }, 0.5)).toBe(false);
    await query("delete from tasks where id = $1", [run.taskId]);
  });

  it("[Q15] stay available for the next run of the Task, unless the work has changed", async () => {
    const run = await offer(await context.createTask(["vocals"]));
    const { db } = context.database;
    const [offers, queue] = [makeSpanOffers(db, TEST_MACHINE), makeSpanQueue(db, TEST_MACHINE)];
    const span = await queue.claim({ token: "t", workerId: "w", exceptTaskIds: [] });
    if (!span) throw new Error("no span");
    await queue.end(span, { key: "k", files: [{ pass: "p", stem: "s", sizeBytes: 1 }] });
    await offer(run.taskId);
    expect(await offers.list(run.taskId)).toMatchObject([{ index: 3, share: 1, stored: { key: "k" } }]);
    const other = { key: "gain/plain", spanCount: 2, finishedSpans: 1, work: '{"other":1}' };
    await offers.offer(run, { parts: [other], begun: [], inputKey: "input" });
    expect(await offers.list(run.taskId)).toEqual([]);
    expect(await query("select number, is_own from spans order by number")).toEqual([
      { number: 0, is_own: true },
      { number: 1, is_own: false },
    ]);
    await expect(
      offers.offer({ ...run, token: "old" }, { parts: [], begun: [], inputKey: "" }),
    ).rejects.toThrow();
    await query("delete from tasks where id = $1", [run.taskId]);
  });

  it("[Q17] are for workers whose samples match, and made again if the Task continues on another kind of machine", async () => {
    const run = await offer(await context.createTask(["vocals"]));
    const { db } = context.database;
    const elsewhere = { offers: makeSpanOffers(db, "arm64"), queue: makeSpanQueue(db, "arm64") };
    const claim = { token: "t", workerId: "w", exceptTaskIds: [] };
    expect(await elsewhere.queue.claim(claim)).toBeUndefined();
    const span = await makeSpanQueue(db, TEST_MACHINE).claim(claim);
    if (!span) throw new Error("no span");
    await makeSpanQueue(db, TEST_MACHINE).end(span, { key: "k", files: [] });
    const parts = [{ key: span.part, spanCount: 4, finishedSpans: 0, work: span.work }];
    await elsewhere.offers.offer(run, { parts, begun: [], inputKey: "input" });
    expect(await elsewhere.offers.list(run.taskId)).toEqual([]);
    expect(await elsewhere.queue.claim(claim)).toMatchObject({ index: span.index });
    await query("delete from tasks where id = $1", [run.taskId]);
  });

  it("[Q17] [Q18] are offered while there is a live worker whose samples match", async () => {
    const { db } = context.database;
    expect(await makeSpanOffers(db, TEST_MACHINE).hasHelpers("leader")).toBe(true);
    expect(await makeSpanOffers(db, TEST_MACHINE).hasHelpers("other")).toBe(false);
    expect(await makeSpanOffers(db, "arm64").hasHelpers("leader")).toBe(false);
    await query("update workers set seen_at = now() - interval '1 minute' where id = 'other'");
    expect(await makeSpanOffers(db, TEST_MACHINE).hasHelpers("leader")).toBe(false);
    await query("delete from workers where id = 'other'");
  });

  it("[Q16] left by a Task are found once it has ended and nobody works on them", async () => {
    const run = await offer(await context.createTask(["vocals"]));
    const { db } = context.database;
    const span = await makeSpanQueue(db, TEST_MACHINE).claim({
      token: "t",
      workerId: "w",
      exceptTaskIds: [],
    });
    expect(await listLeftSpans(db, 10)).toEqual([]);
    await query("update tasks set completed_at = now() where id = $1", [run.taskId]);
    expect(await listLeftSpans(db, 10)).toEqual([]);
    expect(await claim()).toBeUndefined();
    if (span) await makeSpanQueue(db, TEST_MACHINE).release(span, { isFault: false });
    // Its own row is gone; those of the others lead the sweep to their files.
    expect(await query("select number from spans where task_id = $1 order by number", [run.taskId])).toEqual(
      [0, 1, 2].map((number) => ({ number })),
    );
    expect(await listLeftSpans(db, 10)).toEqual([run.taskId]);
    await query("delete from tasks where id = $1", [run.taskId]);
  });

  it("[Q15] resume in the folder of a worker that died on the machine; leftovers are removed with the Task", async () => {
    const workDir = await makeTempDir("helpers");
    const own = await openHelperDir(workDir, "task");
    expect(await openHelperDir(workDir, "task")).not.toBe(own);
    await rm(join(own, "owner"));
    await writeFile(join(own, "spool"), "half a span");
    const next = await openHelperDir(workDir, "task");
    expect(await readdir(next)).toContain("spool");
    const sweepWhen = (isUnfinished: boolean) =>
      sweepHelperDirs({ workDir, isUnfinished: async () => isUnfinished });
    expect(await sweepWhen(false)).toBe(0);
    await rm(join(next, "owner"));
    expect(await sweepWhen(true)).toBe(0);
    expect(await sweepWhen(false)).toBe(1);
  });
});
