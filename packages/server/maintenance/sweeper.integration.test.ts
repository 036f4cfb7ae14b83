import { access, mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import type { TargetOptions } from "@stemwright/contract";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { StemCache, stemCacheFolder } from "../../engine/separation/stem-cache.ts";
import { openFileBlobs } from "../blobs/file-blobs.ts";
import { openFilePartials } from "../blobs/file-partials.ts";
import { withUnclaimedFiles } from "../blobs/with-unclaimed-files.ts";
import { insertClient } from "../db/accounts/client-rows.ts";
import { findAsset, holdInputs, insertAsset } from "../db/assets/asset-rows.ts";
import { upsertWorker } from "../db/operation/worker-rows.ts";
import { takeReceipt } from "../db/requests/receipt-rows.ts";
import { makeUnclaimedFiles } from "../db/storage/unclaimed-file-rows.ts";
import { endTarget } from "../db/tasks/target-ends.ts";
import { withTaskLock } from "../db/tasks/task-locks.ts";
import { findTask, insertTask } from "../db/tasks/task-rows.ts";
import { makeId } from "../domain/ids.ts";
import type { Blobs } from "../domain/ports.ts";
import type { NewTask } from "../domain/tasks/task-record.ts";
import { makeStores } from "../start/make-stores.ts";
import { type SweeperOptions, sweep, sweepMachine } from "./sweeper.ts";

let database: TestDatabase;
let options: SweeperOptions;
let blobs: Blobs;
let clientId: string;
beforeAll(async () => {
  database = await openTestDatabase();
  const dataDir = await makeTempDir("sweeper");
  const config = {
    assetRetentionHours: 72,
    outputRetentionHours: 72,
    taskRetentionHours: 0,
    deliveryRetentionHours: 720,
    blobsDir: join(dataDir, "blobs"),
    workDir: join(dataDir, "work"),
    cacheDir: join(dataDir, "cache"),
    stemCacheBytes: 1,
    waits: { startSeconds: 50, maxSeconds: 3600 },
    uploadRules: { expiryHours: 24, unfinishedMaxBytes: 1000, defaultQuotaBytes: 0 },
  };
  blobs = await openFileBlobs(config.blobsDir);
  await mkdir(config.workDir);
  const partials = openFilePartials(blobs, { rootDir: config.blobsDir });
  options = { db: database.db, blobs, partials, config };
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.pool.query("delete from clients");
  await database.pool.query("delete from unclaimed_files");
  clientId = makeId();
  await insertClient(database.db, { id: clientId, name: "Test" });
});

const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);

async function storeAsset(ageHours: number) {
  const id = makeId();
  const blobKey = `assets/${id}/a.wav`;
  const { sizeBytes } = await blobs.write(blobKey, Readable.from("sound"));
  const asset = {
    id,
    clientId,
    name: "a.wav",
    format: "wav",
    sizeBytes,
    blobKey,
    createdAt: hoursAgo(ageHours),
  };
  await insertAsset(database.db, asset);
  return asset;
}
type Asset = Awaited<ReturnType<typeof storeAsset>>;
const isKept = async ({ id, blobKey }: Asset) => {
  const kept = [await findAsset(database.db, clientId, id), await blobs.findSize(blobKey)];
  // Never one without the other.
  expect(kept.filter((part) => part !== undefined).length % 2).toBe(0);
  return kept[0] !== undefined;
};

type Input = { assetId?: string; url?: string; blobKey?: string; transcriptBlobKey?: string };
function makeTask(
  { blobKey, transcriptBlobKey, ...input }: Input,
  options: TargetOptions = {},
  more: Pick<Partial<NewTask>, "createdAt" | "isTemporary"> = {},
): NewTask {
  const targetId = makeId();
  const targets = [{ id: targetId, model: "vocals", formats: ["wav"], creditsPerMinute: 1, ...options }];
  const sources = [
    ...(blobKey === undefined ? [] : [{ blobKey }]),
    ...(transcriptBlobKey === undefined ? [] : [{ targetId, blobKey: transcriptBlobKey }]),
  ];
  return { id: makeId(), clientId, createdAt: new Date(), ...input, targets, sources, ...more };
}
async function createTask(...given: Parameters<typeof makeTask>) {
  const task = makeTask(...given);
  await insertTask(database.db, task);
  return task;
}
/** Like a request; false if its input was refused as deleted. */
const tryToCreate = (task: NewTask) =>
  database.db
    .transaction()
    .execute(async (tx) => {
      await holdInputs(tx, task);
      await insertTask(tx, task);
    })
    .then(
      () => true,
      (error: { code?: string }) => {
        expect(error.code).toBe("ASSET_UNKNOWN");
        return false;
      },
    );
async function completeTask(task: NewTask, ageHours: number) {
  const blobKey = `outputs/${task.id}/${task.targets[0]?.id}/vocals.wav`;
  await blobs.write(blobKey, Readable.from("stem"));
  const output = [{ name: "vocals", format: "wav", blobKey, sizeBytes: 4 }];
  const targetId = task.targets[0]?.id ?? "";
  await database.db
    .transaction()
    .execute((tx) =>
      endTarget(tx, { taskId: task.id, targetId, end: { status: "completed", durationSeconds: 1, output } }),
    );
  await database.pool.query("update tasks set completed_at = $2 where id = $1", [
    task.id,
    hoursAgo(ageHours),
  ]);
  return blobKey;
}

describe("temporary Tasks", () => {
  it("[J16] left by a killed process are removed with their assets and files, others stay", async () => {
    const assets = [await storeAsset(2), await storeAsset(2), await storeAsset(1)];
    const [left, lasting, young] = await Promise.all(
      assets.map(({ id, createdAt }, n) =>
        createTask({ assetId: id }, {}, { createdAt, isTemporary: n !== 1 }),
      ),
    );
    expect(await sweep(options)).toMatchObject({ temporaryTasks: 1 });
    expect(await Promise.all(assets.map(isKept))).toEqual([false, true, true]);
    const found = [left, lasting, young].map((task) => findTask(database.db, task?.id ?? ""));
    expect((await Promise.all(found)).map((task) => task !== undefined)).toEqual([false, true, true]);
  });
});

describe("old assets", () => {
  it("[R1] are removed with their files, newer ones stay", async () => {
    const old = await storeAsset(72.1);
    const young = await storeAsset(71.9);
    expect(await sweep(options)).toMatchObject({ assets: 1 });
    expect([await isKept(old), await isKept(young)]).toEqual([false, true]);
  });

  it("[R1] are kept forever with 0", async () => {
    const old = await storeAsset(100_000);
    await sweep({ ...options, config: { ...options.config, assetRetentionHours: 0 } });
    expect(await isKept(old)).toBe(true);
  });

  it("[R1] stay while an unfinished Task needs them, as input, transcript or by link", async () => {
    const assets = await Promise.all([99, 99, 99, 99].map(storeAsset));
    const [input, transcript, linked, linkedTranscript] = assets as [Asset, Asset, Asset, Asset];
    const url = "https://media.example/a.wav";
    const tasks = [
      await createTask({ assetId: input.id }),
      await createTask({ url }, { transcriptAssetId: transcript.id }),
      await createTask({ url, blobKey: linked.blobKey }),
      await createTask({ url, transcriptBlobKey: linkedTranscript.blobKey }, { transcriptUrl: url }),
    ];
    await sweep(options);
    expect(await Promise.all(assets.map(isKept))).toEqual([true, true, true, true]);
    for (const task of tasks) await completeTask(task, 0);
    await sweep(options);
    expect(await Promise.all(assets.map(isKept))).toEqual([false, false, false, false]);
  });

  it("[R1] a Task created meanwhile keeps its asset, or is refused", async () => {
    for (let round = 0; round < 15; round += 1) {
      const asset = await storeAsset(99);
      const task = makeTask({ assetId: asset.id });
      const [isCreated] = await Promise.all([tryToCreate(task), sweep(options)]);
      expect(await isKept(asset)).toBe(isCreated);
    }
  });
});

describe("old outputs", () => {
  it("[R2] are removed with their files; the Task stays, with an empty output", async () => {
    const old = await createTask({ url: "https://media.example/a.wav" });
    const oldKey = await completeTask(old, 72.1);
    const young = await createTask({ url: "https://media.example/a.wav" });
    const youngKey = await completeTask(young, 71.9);
    expect(await sweep(options)).toMatchObject({ tasksWithOutputs: 1 });
    expect(await sweep(options)).toMatchObject({ tasksWithOutputs: 0 });
    expect([await blobs.findSize(oldKey), await blobs.findSize(youngKey)]).toEqual([undefined, 4]);
    expect((await findTask(database.db, old.id))?.targets).toMatchObject([
      { status: "completed", cost: 1, durationSeconds: 1, output: [] },
    ]);
    expect((await findTask(database.db, young.id))?.targets[0]?.output).toHaveLength(1);
  });

  it("[R2] a Task created meanwhile keeps the output it reads, or is refused", async () => {
    for (let round = 0; round < 15; round += 1) {
      const source = await createTask({ url: "https://media.example/a.wav" });
      const blobKey = await completeTask(source, 99);
      const task = makeTask({ assetId: `${source.targets[0]?.id}-0`, blobKey });
      const [isCreated] = await Promise.all([tryToCreate(task), sweep(options)]);
      expect((await blobs.findSize(blobKey)) !== undefined).toBe(isCreated);
    }
  });

  it("[R2] are kept forever with 0, in a client's bucket, and while a Task reads one by link or as its asset", async () => {
    const [first, written, lent, used] = [
      await createTask({ url: "https://media.example/a.wav" }),
      await createTask({ url: "s3://bucket/a.wav" }),
      await createTask({ url: "https://media.example/a.wav" }),
      await createTask({ url: "https://media.example/a.wav" }),
    ];
    await database.pool.query("update tasks set write_destination = 's3://bucket' where id = $1", [
      written.id,
    ]);
    const tasks = [first, written, lent, used];
    const [, , lentKey = "", usedKey = ""] = await Promise.all(tasks.map((task) => completeTask(task, 99)));
    const readers = [
      await createTask({ url: "http://localhost/files/a", blobKey: lentKey }),
      await createTask({ assetId: `${used.targets[0]?.id}-0`, blobKey: usedKey }),
    ];
    const countOutputs = async ({ id }: NewTask) =>
      (await findTask(database.db, id))?.targets[0]?.output.length;
    await sweep({ ...options, config: { ...options.config, outputRetentionHours: 0 } });
    expect(await countOutputs(first)).toBe(1);
    await sweep(options);
    expect(await Promise.all(tasks.map(countOutputs))).toEqual([0, 1, 1, 1]);
    for (const reader of readers) await completeTask(reader, 0);
    await sweep(options);
    expect(await Promise.all([lent, used].map(countOutputs))).toEqual([0, 0]);
  });
});

describe("old Tasks", () => {
  const TABLES = [
    "tasks",
    "targets",
    "outputs",
    "task_previews",
    "word_edits",
    "task_shares",
    "deliveries",
    "legacy_jobs",
  ];
  /** The number of the Task's rows in each table. */
  const countRowsOf = async ({ id, targets }: NewTask) => {
    const columns: Record<string, string> = { tasks: "id", outputs: "target_id", word_edits: "target_id" };
    const counts = TABLES.map(async (table) => {
      const column = columns[table] ?? "task_id";
      const { rows } = await database.pool.query(
        `select count(*)::int as count from ${table} where ${column} = $1`,
        [column === "target_id" ? targets[0]?.id : id],
      );
      return rows[0].count;
    });
    return await Promise.all(counts);
  };
  /** A finished Task with a row of every kind that can belong to one. */
  async function createFullTask(ageHours: number) {
    const task = makeTask({ url: "https://media.example/a.wav" });
    const legacyJob = { requestId: makeId(), metadata: { name: "vocals", format: "wav" } };
    await insertTask(database.db, { ...task, legacyJob });
    const blobKey = await completeTask(task, ageHours);
    const targetId = task.targets[0]?.id;
    const { pool } = database;
    await pool.query("insert into task_previews values ($1, $2, 'v', '{}', '{}', 5)", [task.id, clientId]);
    await pool.query("insert into word_edits (target_id, revision) values ($1, 1)", [targetId]);
    await pool.query(
      "insert into task_shares (id, task_id, token_hash, expires_at) values ($1, $2, $3, now() + interval '1 day')",
      [makeId(), task.id, Buffer.from(makeId())],
    );
    await pool.query(
      "insert into deliveries (id, client_id, task_id, event, url, state, last_attempt_at) values ($1, $2, $3, 'target', 'https://example.com', 'delivered', now())",
      [makeId(), clientId, task.id],
    );
    return { ...task, blobKey };
  }
  /** Totals that must not change when Tasks are deleted: lists, storage, statistics and ledger. */
  const readTotals = async () => {
    const { rows } = await database.pool.query(
      `select (select sum(total) from row_counts where client_id = $1 and noun = 'tasks')::int as tasks,
         (select sum(total_bytes) from storage_totals where client_id = $1 and noun = 'outputs')::int as bytes,
         (select json_agg(usage_by_month) from usage_by_month where client_id = $1) as usage,
         (select json_object_agg(name, total) from (select name, sum(total) as total from service_totals group by name) as totals) as totals`,
      [clientId],
    );
    return rows[0];
  };
  const purging = () => ({ ...options, config: { ...options.config, taskRetentionHours: 24 * 30 } });

  it("[R6] are deleted with everything that belongs to them, newer ones stay; statistics and totals do not change", async () => {
    const [old, young] = [await createFullTask(24 * 30 + 1), await createFullTask(24 * 30 - 1)];
    const before = await readTotals();
    expect(before).toMatchObject({ tasks: 2, bytes: 18 });
    const keepOutputs = purging();
    keepOutputs.config.outputRetentionHours = 0;
    expect(await sweep(keepOutputs)).toMatchObject({ tasks: 1, unclaimed: 1 });
    expect(await countRowsOf(old)).toEqual(TABLES.map(() => 0));
    expect(await countRowsOf(young)).toEqual(TABLES.map(() => 1));
    expect([await blobs.findSize(old.blobKey), await blobs.findSize(young.blobKey)]).toEqual([undefined, 4]);
    expect(await readTotals()).toEqual({ ...before, tasks: 1, bytes: 9 });
  });

  it("[R6] are kept forever with 0, while a Task reads their outputs and while a webhook is pending", async () => {
    const [lent, owed] = [await createFullTask(100_000), await createFullTask(100_000)];
    expect(await sweep(options)).toMatchObject({ tasks: 0 });
    const [again, third] = [await createFullTask(100_000), await createFullTask(100_000)];
    const reader = await createTask({ url: "http://localhost/files/a", blobKey: again.blobKey });
    await database.pool.query("update deliveries set state = 'pending' where task_id = $1", [owed.id]);
    expect(await sweep(purging())).toMatchObject({ tasks: 2 });
    const isThere = async ({ id }: NewTask) => (await findTask(database.db, id)) !== undefined;
    expect(await Promise.all([lent, owed, again, third].map(isThere))).toEqual([false, true, true, false]);
    await completeTask(reader, 0);
    await database.pool.query("update deliveries set state = 'failed'");
    expect(await sweep(purging())).toMatchObject({ tasks: 2 });
  });

  it("[R6] [R4] a Task created meanwhile keeps the output it reads, or is refused", async () => {
    for (let round = 0; round < 10; round += 1) {
      const source = await createTask({ url: "https://media.example/a.wav" });
      const blobKey = await completeTask(source, 100_000);
      const task = makeTask({ assetId: `${source.targets[0]?.id}-0`, blobKey });
      const [isCreated] = await Promise.all([tryToCreate(task), sweep(purging())]);
      expect((await blobs.findSize(blobKey)) !== undefined).toBe(isCreated);
    }
  });
});

describe("leftovers", () => {
  it("[R3] half-written files older than a day are removed", async () => {
    const write = async (name: string, ageHours: number) => {
      const path = join(options.config.blobsDir, "partial", name);
      await writeFile(path, "half");
      await utimes(path, hoursAgo(ageHours), hoursAgo(ageHours));
    };
    await write("old", 25);
    await write("young", 23);
    expect(await sweep(options)).toMatchObject({ partialFiles: 1 });
    expect(await readdir(join(options.config.blobsDir, "partial"))).toEqual(["young"]);
  });

  it("[R3] work folders are removed with their Tasks, unless a worker still uses them", async () => {
    const unfinished = await createTask({ url: "https://media.example/a.wav" });
    const finished = await createTask({ url: "https://media.example/a.wav" });
    await completeTask(finished, 0);
    const [deleted, held] = [makeId(), makeId()];
    // Where a running engine process works.
    const cells = ".engines";
    for (const id of [unfinished.id, finished.id, deleted, held, cells])
      await mkdir(join(options.config.workDir, id, "engine"), { recursive: true });
    await withTaskLock(database.db, held, async () => {
      // Everything that a worker on a separate machine sweeps.
      expect(await sweepMachine(options)).toMatchObject({ workDirs: 2 });
      expect((await readdir(options.config.workDir)).sort()).toEqual([unfinished.id, held, cells].sort());
    });
    await sweep(options);
    await expect(access(join(options.config.workDir, held))).rejects.toThrow();
  });

  it("[R5] the webhook log drops deliveries that ended long ago, counted from the last try", async () => {
    const log: [id: string, state: string, madeHoursAgo: number, triedHoursAgo: number | null][] = [
      ["delivered", "delivered", 721, 721],
      ["failed untried", "failed", 721, null],
      ["tried lately", "failed", 800, 719],
      ["owed", "pending", 800, 721],
      ["young", "delivered", 719, 719],
    ];
    for (const [id, state, madeHoursAgo, triedHoursAgo] of log)
      await database.pool.query(
        `insert into deliveries (id, client_id, event, url, state, created_at, last_attempt_at)
         values ($1, $2, 'test', 'https://example.com', $3, $4, $5)`,
        [
          id,
          clientId,
          state,
          hoursAgo(madeHoursAgo),
          triedHoursAgo === null ? null : hoursAgo(triedHoursAgo),
        ],
      );
    const listIds = async () =>
      (await database.pool.query("select id from deliveries order by id")).rows.map(({ id }) => id);
    const keepAll = { ...options, config: { ...options.config, deliveryRetentionHours: 0 } };
    expect(await sweep(keepAll)).toMatchObject({ deliveries: 0 });
    expect(await sweep(options)).toMatchObject({ deliveries: 2 });
    expect(await listIds()).toEqual(["owed", "tried lately", "young"]);
  });

  it("[P3] stems are removed with the last Task whose outputs are stored", async () => {
    const cache = new StemCache(stemCacheFolder(options.config.cacheDir), 1000);
    const spool = join(options.config.workDir, "spool");
    await writeFile(spool, "stem");
    const keep = (input: string, owner: string) =>
      cache.keep({ madeFrom: { input }, stem: "vocals", path: spool }, { scope: clientId, owner });
    const running = await createTask({ url: "https://example.com/a.wav" });
    const old = await createTask({ url: "https://example.com/a.wav" });
    await completeTask(old, 73);
    keep("shared", running.id);
    keep("shared", old.id);
    keep("old", old.id);
    keep("deleted", makeId());
    expect(await sweep(options)).toMatchObject({ stems: 2 });
    expect(await readdir(stemCacheFolder(options.config.cacheDir))).toHaveLength(1);
    const off = { ...options, config: { ...options.config, stemCacheBytes: 0 } };
    expect(await sweep(off)).toMatchObject({ stems: 1 });
  });

  it("[D6] workers that died a day ago are removed", async () => {
    const place = { host: "machine", pid: 1, version: "1.2.3", startedAt: new Date(), task: undefined };
    const figures = { memoryBytes: 1, engineSeconds: 0, audioSeconds: 0, networks: [] };
    for (const id of ["old", "dead"]) await upsertWorker(database.db, { ...place, ...figures, id });
    await database.pool.query("update workers set seen_at = now() - interval '23 hours'");
    await database.pool.query("update workers set seen_at = seen_at - interval '2 hours' where id = 'old'");
    expect(await sweep(options)).toMatchObject({ deadWorkers: 1 });
    expect((await database.pool.query("select id from workers")).rows).toEqual([{ id: "dead" }]);
  });

  it("[R3] expired idempotency keys are removed", async () => {
    for (const key of ["old", "young"])
      await takeReceipt(database.db, { clientId, principal: "p", key, fingerprint: Buffer.alloc(32) });
    await database.pool.query("update idempotency_receipts set created_at = $1 where key = 'old'", [
      hoursAgo(24.1),
    ]);
    expect(await sweep(options)).toMatchObject({ receipts: 1 });
    const { rows } = await database.pool.query("select key from idempotency_receipts");
    expect(rows).toEqual([{ key: "young" }]);
  });
});

describe("several sweeps", () => {
  it("[R4] at once remove everything exactly once", async () => {
    const assets = await Promise.all(Array.from({ length: 120 }, () => storeAsset(99)));
    const swept = await Promise.all([sweep(options), sweep(options), sweep(options)]);
    // Rows skipped because another sweep held them are gone with that one.
    await sweep(options);
    expect(swept.reduce((sum, { assets }) => sum + assets, 0)).toBe(120);
    expect(await Promise.all(assets.map(isKept))).toEqual(Array(120).fill(false));
  });
});

describe("orphaned files", () => {
  /** Ages their records. */
  const age = (hours: number) =>
    database.pool.query(
      `update unclaimed_files set due_at = due_at - $1 * interval '1 hour', written_until = written_until - $1 * interval '1 hour'`,
      [hours],
    );
  const isStored = async (blobKey: string) => (await blobs.findSize(blobKey)) !== undefined;
  const countUnclaimed = async () => (await database.pool.query("select from unclaimed_files")).rowCount;
  const stores = () => makeStores(database.db, {} as Parameters<typeof makeStores>[1]);

  it("[A2] [R3] are removed a day after an upload whose process died before it became an asset", async () => {
    const unclaimed = makeUnclaimedFiles(database.db);
    const announced = withUnclaimedFiles(blobs, unclaimed);
    const blobKey = `assets/${makeId()}/a.wav`;
    await announced.write(blobKey, Readable.from("sound"));
    await age(23.9);
    expect(await sweep(options)).toMatchObject({ unclaimed: 0 });
    expect(await isStored(blobKey)).toBe(true);
    await age(0.2);
    expect(await sweep(options)).toMatchObject({ unclaimed: 1 });
    expect([await isStored(blobKey), await countUnclaimed()]).toEqual([false, 0]);
  });

  it.each(["DELETE", "retention"])(
    "[A4] [R3] [R4] go with a later sweep where the store failed after %s",
    async (reason) => {
      const ageHours = reason === "DELETE" ? 1 : 99;
      const [stuck, other] = [await storeAsset(ageHours), await storeAsset(ageHours)];
      if (reason === "DELETE")
        for (const { id } of [stuck, other]) await stores().assets.deleteAsset(clientId, id);
      const failing: Blobs = {
        ...blobs,
        delete: (keyPrefix) =>
          keyPrefix.includes(stuck.id) ? Promise.reject(new Error("no")) : blobs.delete(keyPrefix),
      };
      await expect(sweep({ ...options, blobs: failing })).rejects.toThrow("files could not be removed");
      expect(await findAsset(database.db, clientId, stuck.id)).toBeUndefined();
      expect([await isStored(stuck.blobKey), await isStored(other.blobKey)]).toEqual([true, false]);
      await age(1);
      expect(await sweep(options)).toMatchObject({ unclaimed: 1 });
      expect([await isStored(stuck.blobKey), await countUnclaimed()]).toEqual([false, 0]);
    },
  );

  it("[T10] [R3] are removed once more if a worker may have kept writing for a deleted Task", async () => {
    const task = await createTask({ url: "https://media.example/a.wav" });
    await stores().tasks.deleteTask(clientId, task.id);
    await sweep(options);
    const blobKey = `outputs/${task.id}/target/vocals.wav`;
    await blobs.write(blobKey, Readable.from("late"));
    await sweep(options);
    expect(await isStored(blobKey)).toBe(true);
    await age(1.1);
    await sweep(options);
    expect([await isStored(blobKey), await countUnclaimed()]).toEqual([false, 0]);
  });

  it("[S2] in a hanging store do not delay shutdown", async () => {
    const { id } = await storeAsset(1);
    await stores().assets.deleteAsset(clientId, id);
    const closing = new AbortController();
    const hanging: Blobs = {
      ...blobs,
      delete() {
        closing.abort();
        return new Promise(() => {});
      },
    };
    await expect(sweep({ ...options, blobs: hanging }, closing.signal)).rejects.toThrow(
      "could not be removed",
    );
    await age(1);
    await sweep(options);
  });
});
