import { readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Gap, Realignment, Task } from "@stemwright/contract";
import { EngineError, type EngineProcess, type GapRequest, type GapResult } from "@stemwright/engine";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { startTestApi, type TestApi } from "../../../../test/support/test-api.ts";
import { makeTestStorage } from "../../../../test/support/test-storage.ts";
import { waitForLock } from "../../../../test/support/wait-for-lock.ts";
import { endlessRoom } from "../../../../test/support/without-limits.ts";
import { makeWordsTask } from "../../../../test/support/words-task.ts";
import { openFileBlobs } from "../../blobs/file-blobs.ts";
import { makeAssetStore } from "../../db/assets/make-asset-store.ts";
import { makeTaskReports } from "../../db/tasks/make-task-reports.ts";
import { deleteOldRealignments, makeRealignmentQueue } from "../../db/words/realignment-rows.ts";
import { makeLog } from "../../log/make-log.ts";
import { makeAddressGuard } from "../../net/address-guard.ts";
import { startAligner } from "./aligner.ts";
import { sweepGapInputs } from "./gap-input.ts";

type AlignGap = EngineProcess["alignGap"];

let api: TestApi;
let task: Task;
let path: string;
beforeAll(async () => {
  api = await startTestApi();
});
afterAll(() => api.close());
beforeEach(async () => {
  await api.database.pool.query("delete from realignments");
  task = await makeWordsTask(api);
  path = `/tasks/${task.id}/targets/${task.targets[0]?.id}/realignments`;
});
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

/** A worker's aligner on the API's database and files, with a fake engine. */
async function startWithEngine(alignGap: AlignGap) {
  const { db } = api.database;
  const workDir = join(api.dataDir, "work");
  const guard = makeAddressGuard([]);
  const aligner = startAligner({
    ...makeTestStorage({ db, guard, dataDir: api.dataDir }),
    guard,
    blobs: await openFileBlobs(join(api.dataDir, "blobs")),
    assets: makeAssetStore(db),
    sources: { listSources: async () => [] },
    maxBytes: 10_000_000,
    fetchDelaysMs: [],
    workDir,
    room: endlessRoom,
    queue: makeRealignmentQueue(db),
    engine: { alignGap, close: async () => {} },
    reports: makeTaskReports(db),
    log: makeLog({ logLevel: "silent", logFile: undefined }, "worker"),
  });
  closers.push(() => aligner.close());
  return aligner;
}

/** Each word takes an equal share. */
const alignEvenly = async ({ text, startSeconds, endSeconds }: GapRequest): Promise<GapResult> => {
  const words = text.split(/(?<= )/);
  const share = (endSeconds - startSeconds) / words.length;
  const at = (n: number) => startSeconds + n * share;
  return {
    lines: [
      {
        words: words.map((text, n) => ({
          text,
          startSeconds: at(n),
          endSeconds: at(n + 1),
          confidence: 0.80049,
        })),
      },
    ],
  };
};
const untilAborted: AlignGap = (_request, { signal } = {}) =>
  new Promise((_resolve, reject) =>
    signal?.addEventListener("abort", () => reject(new EngineError("cancelled", "stopped"))),
  );

const GAP: Gap = { text: "many ships", start: 1.5, end: 3 };
const post = async (body: unknown = GAP, init = {}) => await api.post(path, body, init);
const create = async (body: unknown = GAP) => (await (await post(body)).json()) as Realignment;
const load = async (id: string) => (await (await api.call(`${path}/${id}`)).json()) as Realignment;
const ended = async (id: string) => {
  await expect
    .poll(async () => (await load(id)).status, { timeout: 20_000, interval: 20 })
    .not.toBe("processing");
  return await load(id);
};
const faultOf = async (response: Response) => {
  const { code, message } = (await response.json()) as { code: string; message: string };
  return { status: response.status, code, message };
};

describe("aligning a gap of edited words", () => {
  it("[Q21] on a full disk costs no attempt, and is done when there is room", async () => {
    let runs = 0;
    const aligner = await startWithEngine(async (request) => {
      runs += 1;
      if (runs === 1) throw new EngineError("disk-full", "The disk is full.");
      return await alignEvenly(request);
    });
    const { id } = await create();
    aligner.look();
    expect(await ended(id)).toMatchObject({ status: "completed" });
    const { rows } = await api.database.pool.query("select attempts from realignments where id = $1", [id]);
    expect(rows).toEqual([{ attempts: 1 }]);
  });

  it("[Z7] returns new times between the anchors, from the recording, with the adjacent words", async () => {
    const received: (GapRequest & { bytes: number })[] = [];
    const aligner = await startWithEngine(async (request) => {
      received.push({ ...request, bytes: (await readFile(request.inputPath)).length });
      return await alignEvenly(request);
    });
    const created = await create();
    expect(created).toEqual({ id: expect.any(String), status: "processing", createdAt: expect.any(String) });
    aligner.look();
    expect(await ended(created.id)).toMatchObject({
      status: "completed",
      lines: [
        {
          ...{ start: 1.5, end: 3, text: "many ships" },
          words: [
            { text: "many ", start: 1.5, end: 2.25, confidence: 0.8 },
            { text: "ships", start: 2.25, end: 3, confidence: 0.8 },
          ],
        },
      ],
    });
    expect(received).toMatchObject([
      {
        ...{ text: "many ships", language: "en", startSeconds: 1.5, endSeconds: 3, bytes: 320_044 },
        before: [{ text: "Seven ", startSeconds: 1, endSeconds: 1.5 }],
        after: [
          { text: "sailed\n", startSeconds: 3 },
          { text: "across ", startSeconds: 4 },
          { text: "the ", startSeconds: 5 },
          { text: "sea\n", startSeconds: 6 },
        ],
      },
    ]);
    // It is not a Task, costs nothing, and changes neither words nor Task.
    const { rows } = await api.database.pool.query(
      "select count(*)::int from tasks where completed_at is null",
    );
    expect(rows).toEqual([{ count: 0 }]);
    const { output: _, ...before } = task.targets[0] as Task["targets"][number];
    expect((await (await api.call(`/tasks/${task.id}`)).json()) as Task).toMatchObject({ targets: [before] });
  });

  it.each([
    { stem: undefined, from: 0.5 },
    { stem: false, from: 0.5 },
    { stem: true, from: 1.5 },
  ])(
    "[O31] finds words of a late audio track in the recording, or in vocals whose fileTimeline is $stem",
    async ({ stem, from }) => {
      const transcription = { model: "transcription", formats: ["json"] };
      const vocals = { model: "vocals", formats: ["wav"], fileTimeline: stem };
      task = await makeWordsTask(api, stem === undefined ? [transcription] : [transcription, vocals]);
      path = `/tasks/${task.id}/targets/${task.targets[0]?.id}/realignments`;
      await api.database.pool.query("update targets set audio_offset_seconds = 1 where task_id = $1", [
        task.id,
      ]);
      const received: GapRequest[] = [];
      const aligner = await startWithEngine(async (request) => {
        received.push(request);
        return await alignEvenly(request);
      });
      // The audio ends a second later in the file, and begins a second later.
      expect((await post({ ...GAP, start: 10.5, end: 11.2 })).status).toBe(400);
      expect((await post({ ...GAP, start: 0.2, end: 0.9 })).status).toBe(400);
      const { id } = await create();
      aligner.look();
      expect((await ended(id)).lines?.[0]).toMatchObject({ start: 1.5, end: 3 });
      expect(received).toMatchObject([{ startSeconds: from, endSeconds: from + 1.5 }]);
      const shown = (await (await api.call(`/tasks/${task.id}`)).json()) as Task;
      expect(shown.targets[0]).toMatchObject({ audioOffset: 1, duration: 10 });
      const words = await api.call(`/tasks/${task.id}/targets/${task.targets[0]?.id}/words`);
      expect(await words.json()).toMatchObject({ duration: 11 });
    },
  );

  it("[Z8] uses the vocals if the Task made them, and keeps no recording when it closes", async () => {
    task = await makeWordsTask(api, [
      { model: "vocals", formats: ["mp3", "wav"] },
      { model: "transcription", formats: ["json"] },
    ]);
    path = `/tasks/${task.id}/targets/${task.targets[1]?.id}/realignments`;
    const received: string[] = [];
    const aligner = await startWithEngine(async (request) => {
      received.push(await readFile(request.inputPath, "utf8"));
      return await alignEvenly(request);
    });
    const { id } = await create();
    aligner.look();
    expect((await ended(id)).status).toBe("completed");
    expect(received).toEqual(["stem"]);
    await aligner.close();
    expect((await readdir(join(api.dataDir, "work"))).filter((name) => name.endsWith(".gap"))).toEqual([]);
  });

  it("[Z8] says what to do if the recording no longer exists", async () => {
    const aligner = await startWithEngine(alignEvenly);
    const first = await create();
    aligner.look();
    expect((await ended(first.id)).status).toBe("completed");
    await api.call(`/assets/${task.assetId}`, { method: "DELETE" });
    // Even for a recording used a moment ago.
    const { id } = await create();
    aligner.look();
    expect(await ended(id)).toMatchObject({
      status: "error",
      error: {
        code: 1004,
        message: expect.stringMatching(/no longer stored.*edited by hand.*upload the recording again/),
      },
    });
  });

  it("[Z9] is cancelled by DELETE, which stops the work within two seconds", async () => {
    const running = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<number>();
    let startedAtMs = 0;
    const aligner = await startWithEngine(async (request, options = {}) => {
      running.resolve();
      options.signal?.addEventListener("abort", () => stopped.resolve(performance.now() - startedAtMs));
      return await untilAborted(request, options);
    });
    const { id } = await create();
    aligner.look();
    await running.promise;
    startedAtMs = performance.now();
    expect(await (await api.call(`${path}/${id}`, { method: "DELETE" })).json()).toEqual({ id });
    expect(await stopped.promise).toBeLessThan(4000);
    expect((await api.call(`${path}/${id}`)).status).toBe(404);
    expect((await api.call(`${path}/${id}`, { method: "DELETE" })).status).toBe(404);
  });

  it("[Z9] ends with its Task", async () => {
    const running = Promise.withResolvers<void>();
    const stopped = Promise.withResolvers<void>();
    const aligner = await startWithEngine((request, options = {}) => {
      running.resolve();
      options.signal?.addEventListener("abort", () => stopped.resolve());
      return untilAborted(request, options);
    });
    await create();
    aligner.look();
    await running.promise;
    await api.call(`/tasks/${task.id}`, { method: "DELETE" });
    await stopped.promise;
  });

  it("[Z9] survives a worker that stops, and one that dies; after three deaths it is an error", async () => {
    const running = Promise.withResolvers<void>();
    const first = await startWithEngine((request, options) => {
      running.resolve();
      return untilAborted(request, options);
    });
    const { id } = await create();
    first.look();
    await running.promise;
    await first.close();
    const stateOf = async () =>
      (await api.database.pool.query("select attempts, claimed_until from realignments where id = $1", [id]))
        .rows[0];
    expect(await stateOf()).toEqual({ attempts: 0, claimed_until: null });
    // Killed workers leave their claim, which expires.
    const queue = makeRealignmentQueue(api.database.db);
    for (const token of ["a", "b"]) {
      expect((await queue.claim(token))?.id).toBe(id);
      expect(await queue.claim("too soon")).toBeUndefined();
      await api.database.pool.query("update realignments set claimed_until = now() where id = $1", [id]);
    }
    const late = { ...(await queue.claim("c")), token: "a" } as Parameters<typeof queue.end>[0];
    expect(await queue.hold(late)).toBe(false);
    await queue.end(late, { lines: [] });
    expect((await load(id)).status).toBe("processing");
    await api.database.pool.query("update realignments set claimed_until = now() where id = $1", [id]);
    expect(await queue.claim("d")).toBeUndefined();
    expect(await load(id)).toMatchObject({ status: "error", error: { code: 9002 } });
  });

  it("[Z9] our own failures are retried, engine errors are reported", async () => {
    let attempts = 0;
    const aligner = await startWithEngine(async (request) => {
      attempts += 1;
      if (attempts < 3) throw new Error("the engine stumbled");
      return await alignEvenly(request);
    });
    const { id } = await create();
    aligner.look();
    // A release notifies the workers; nothing forwards that here.
    const lookAgain = setInterval(aligner.look, 20);
    onTestFinished(() => clearInterval(lookAgain));
    expect((await ended(id)).status).toBe("completed");
    expect(attempts).toBe(3);
    await aligner.close();
    const other = await startWithEngine(async () => {
      throw new EngineError("input-unreadable", "The input cannot be read.");
    });
    const second = await create();
    other.look();
    expect((await ended(second.id)).error).toEqual({ code: 1001, message: "The input cannot be read." });
  });

  it("[Z9] clients take turns, with one gap at a time and at most 20 waiting", async () => {
    const queue = makeRealignmentQueue(api.database.db);
    const answers = await Promise.all(Array.from({ length: 25 }, () => post()));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
    const refused = answers.find(({ status }) => status !== 200) as Response;
    expect(refused.headers.get("retry-after")).not.toBeNull();
    expect(await faultOf(refused)).toMatchObject({ status: 429, code: "REALIGNMENTS_TOO_MANY" });
    const first = await queue.claim("a");
    expect(first?.clientId).toBe(api.account.clientId);
    expect(await queue.claim("b")).toBeUndefined();
    // Another client's, created last, is next.
    const other = await api.addAccount();
    await api.database.pool.query(
      `insert into realignments (id, client_id, task_id, target_id, gap)
       select 'other', $1, task_id, target_id, gap from realignments where id = $2`,
      [other.clientId, first?.id],
    );
    expect((await queue.claim("c"))?.id).toBe("other");
    if (first) await queue.end(first, { lines: [] });
    const second = await queue.claim("d");
    expect(second?.clientId).toBe(api.account.clientId);
    expect(second?.id).not.toBe(first?.id);
  });

  it("[Z9] two workers that claim at the same moment never get two gaps of one client", async () => {
    await create();
    await create();
    const queue = makeRealignmentQueue(api.database.db);
    let other: ReturnType<typeof queue.claim> | undefined;
    await api.database.db.transaction().execute(async (transaction) => {
      expect(await makeRealignmentQueue(transaction).claim("a")).toBeDefined();
      other = queue.claim("b");
      await waitForLock(api.database.pool, other);
    });
    expect(await other).toBeUndefined();
  });

  it.each([
    ["no text", { ...GAP, text: " \n" }, "REQUEST_INVALID"],
    ["too long a text", { ...GAP, text: "a ".repeat(2001) }, "REQUEST_INVALID"],
    ["no length", { ...GAP, end: 1.5 }, "WORDS_INVALID"],
    ["an end behind the recording's", { ...GAP, end: 11 }, "WORDS_INVALID"],
    ["a negative start", { ...GAP, start: -1 }, "REQUEST_INVALID"],
    ["an unknown language", { ...GAP, language: "tlh" }, "LANGUAGE_UNSUPPORTED"],
  ])("[Z10] a gap with %s is refused", async (_title, body, code) => {
    expect(await faultOf(await post(body))).toMatchObject({ status: 400, code });
  });

  it("[Z10] a gap of more than a minute is refused", async () => {
    await api.database.pool.query("update targets set duration_seconds = 600 where task_id = $1", [task.id]);
    const fault = await faultOf(await post({ ...GAP, start: 1, end: 62 }));
    expect(fault).toMatchObject({
      code: "WORDS_INVALID",
      message: expect.stringMatching(/at most 60 s at once/),
    });
  });

  it("[E4] [Z10] is limited to one's own Tasks", async () => {
    const { id } = await create();
    onTestFinished(async () => void (await api.call(`${path}/${id}`, { method: "DELETE" })));
    const { key } = await api.addAccount();
    expect((await post(GAP, { key })).status).toBe(404);
    expect((await api.call(`${path}/${id}`, { key })).status).toBe(404);
    expect((await api.call(`${path}/${id}`, { key, method: "DELETE" })).status).toBe(404);
    expect((await load(id)).status).toBe("processing");
  });

  it("[R3] old ones and recordings left by killed workers are swept", async () => {
    const { id } = await create();
    const aligner = await startWithEngine(alignEvenly);
    aligner.look();
    await ended(id);
    const workDir = join(api.dataDir, "work");
    const [name = ""] = (await readdir(workDir)).filter((entry) => entry.endsWith(".gap"));
    expect(await sweepGapInputs(workDir, new Date(Date.now() - 3_600_000))).toBe(0);
    await utimes(join(workDir, name), 0, 0);
    expect(await sweepGapInputs(workDir, new Date(Date.now() - 3_600_000))).toBe(1);
    await api.database.pool.query("update realignments set created_at = now() - interval '61 minutes'");
    expect(await deleteOldRealignments(api.database.db, 1000)).toBeGreaterThan(0);
    expect((await api.call(`${path}/${id}`)).status).toBe(404);
  });
});
