import { setTimeout as sleep } from "node:timers/promises";
import { sweepCells, sweepStemCache } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import type { Transaction } from "kysely";
import { sweepPartialFiles } from "../blobs/sweep-partial-files.ts";
import type { Config } from "../config/load-config.ts";
import { deleteExpiredEntries } from "../db/accounts/session-rows.ts";
import type { Database, Tables } from "../db/database.ts";
import { deleteDeadWorkers } from "../db/operation/worker-rows.ts";
import { deleteOldRateCounts } from "../db/requests/make-rate-counts.ts";
import { deleteOldReceipts } from "../db/requests/receipt-rows.ts";
import { deleteExpiredShares } from "../db/shares/share-rows.ts";
import { forgetSpans, listLeftSpans } from "../db/spans/span-rows.ts";
import { deleteOldHolds } from "../db/storage/make-storage-quota.ts";
import { sweepAssets, sweepOutputs, sweepTasks, sweepTemporaryTasks } from "../db/storage/retention.ts";
import { forgetFiles, takeDueFiles } from "../db/storage/unclaimed-file-rows.ts";
import { hasOutputsToKeep, isTaskUnfinished } from "../db/tasks/task-rows.ts";
import { makeUploadStore } from "../db/uploads/make-upload-store.ts";
import { listExpiredUploads } from "../db/uploads/upload-rows.ts";
import { deleteOldDeliveries } from "../db/webhooks/delivery-rows.ts";
import { deleteOldRealignments } from "../db/words/realignment-rows.ts";
import { forEachOf } from "../domain/for-each-of.ts";
import type { Blobs } from "../domain/ports.ts";
import { toSpansFolder } from "../domain/spans/span-record.ts";
import { asOnlyWriter, type Writing } from "../domain/uploads/as-only-writer.ts";
import { type PartialFiles, toPartialFile } from "../domain/uploads/partial-files.ts";
import { within } from "../domain/within.ts";
import { sweepGapInputs } from "../worker/realignments/gap-input.ts";
import { sweepHelperDirs } from "../worker/work-dirs/open-helper-dir.ts";
import { sweepWorkDirs } from "../worker/work-dirs/sweep-work-dirs.ts";

const HOUR_MS = 3_600_000;
/** A connection that sends nothing for a day has long been given up. */
const PARTIAL_FILE_HOURS = 24;
/** How long a waiting request may take to clean up after its time limit. */
const WAIT_MARGIN_HOURS = 0.25;
/** A recording is kept for a minute for the next gap of words; older ones were left by killed workers. */
const GAP_INPUT_HOURS = 1;
const FIRST_SWEEP_MS = 30_000;
const SWEEP_INTERVAL_MS = 600_000;
/** Rows per transaction; more if there are no files to remove with them. */
const BATCH_SIZE = 50;
const ROWS_BATCH_SIZE = 1000;
/** Assets and Tasks whose files are removed between two updates of the database, and how many in parallel. */
const REMOVALS_BATCH_SIZE = 500;
const REMOVALS_AT_ONCE = 32;
/** If removing one Task's files takes longer, the store hangs. */
const REMOVAL_LIMIT_MS = 60_000;

const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR_MS);

export type SweeperOptions = {
  db: Database;
  blobs: Blobs;
  partials: PartialFiles;
  config: Pick<
    Config,
    | "uploadRules"
    | "assetRetentionHours"
    | "outputRetentionHours"
    | "taskRetentionHours"
    | "deliveryRetentionHours"
    | "waits"
    | "blobsDir"
    | "workDir"
    | "cacheDir"
    | "stemCacheBytes"
  >;
};

/** Removes expired data batch by batch. Any number of processes may do so at once. */
export async function sweep(options: SweeperOptions, signal?: AbortSignal) {
  const { db, config } = options;

  async function sweepAll(removeBatch: () => Promise<number>): Promise<number> {
    let total = 0;
    for (let removed = -1; removed !== 0 && !signal?.aborted; total += removed) {
      const startedAtMs = performance.now();
      removed = await removeBatch();
      // Rests as long as the batch took, however much there is to sweep.
      await sleep(performance.now() - startedAtMs, undefined, { signal }).catch(() => {});
    }
    return total;
  }
  const sweepOld = (
    retentionHours: number,
    removeBatch: (db: Transaction<Tables>, batch: Parameters<typeof sweepAssets>[1]) => Promise<number>,
  ) => {
    if (retentionHours === 0) return 0;
    const batch = { before: hoursAgo(retentionHours), limit: BATCH_SIZE };
    return sweepAll(() => db.transaction().execute((transaction) => removeBatch(transaction, batch)));
  };

  const sweepLog = (retentionHours: number) => {
    if (retentionHours === 0) return 0;
    return sweepAll(() => deleteOldDeliveries(db, hoursAgo(retentionHours), ROWS_BATCH_SIZE));
  };

  const swept = {
    temporaryTasks: await sweepOld(config.waits.maxSeconds / 3600 + WAIT_MARGIN_HOURS, sweepTemporaryTasks),
    assets: await sweepOld(config.assetRetentionHours, sweepAssets),
    tasks: await sweepOld(config.taskRetentionHours, sweepTasks),
    tasksWithOutputs: await sweepOld(config.outputRetentionHours, sweepOutputs),
    deliveries: await sweepLog(config.deliveryRetentionHours),
    holds: await deleteOldHolds(db),
    receipts: await sweepAll(() => deleteOldReceipts(db, ROWS_BATCH_SIZE)),
    rateCounts: await deleteOldRateCounts(db),
    signIns: await deleteExpiredEntries(db),
    realignments: await sweepAll(() => deleteOldRealignments(db, ROWS_BATCH_SIZE)),
    shares: await sweepAll(() => deleteExpiredShares(db, ROWS_BATCH_SIZE)),
    deadWorkers: await deleteDeadWorkers(db),
    ...(await sweepMachine(options)),
  };
  const spans = await sweepSpans(options, signal);
  // Last, so that a hanging store does not block other sweeps.
  const failures: unknown[] = [];
  const uploads = await sweepUploads(options, failures);
  const unclaimed = await sweepAll(() => sweepUnclaimed(options, failures, signal));
  if (failures.length > 0) throw new Error("files could not be removed", { cause: failures[0] });
  return { ...swept, spans, uploads, unclaimed };
}

/** Removes leftover spans of finished Tasks whose worker died; returns how many Tasks. */
async function sweepSpans({ db, blobs }: SweeperOptions, signal: AbortSignal | undefined): Promise<number> {
  const taskIds = await listLeftSpans(db, BATCH_SIZE);
  for (const taskId of taskIds) {
    await within(REMOVAL_LIMIT_MS, blobs.delete(toSpansFolder(taskId)), signal);
    await forgetSpans(db, taskId);
  }
  return taskIds.length;
}

/** Removes expired unfinished uploads and what is stored of them; returns how many. A request that continues one now keeps it. */
async function sweepUploads({ db, partials, config }: SweeperOptions, failures: unknown[]): Promise<number> {
  const uploads = makeUploadStore(db, config.uploadRules);
  let removed = 0;
  for (const place of await listExpiredUploads(db, REMOVALS_BATCH_SIZE)) {
    async function work({ upload, token }: Writing): Promise<void> {
      if (upload.expiresAt > new Date()) return;
      await within(REMOVAL_LIMIT_MS, partials.abort(toPartialFile(upload)));
      await uploads.deleteUpload(upload.id, token);
      removed += 1;
    }
    await asOnlyWriter({ uploads, partials }, place, { work }).catch((error) => failures.push(error));
  }
  return removed;
}

/** Removes a batch of orphaned files; returns how many. Failed ones become due again later. */
async function sweepUnclaimed(
  { db, blobs }: SweeperOptions,
  failures: unknown[],
  signal: AbortSignal | undefined,
): Promise<number> {
  const keyPrefixes = await takeDueFiles(db, REMOVALS_BATCH_SIZE);
  const removed: string[] = [];
  let hangs = false;
  await forEachOf(keyPrefixes, REMOVALS_AT_ONCE, async (keyPrefix) => {
    if (hangs) return;
    try {
      await within(REMOVAL_LIMIT_MS, blobs.delete(keyPrefix), signal);
      removed.push(keyPrefix);
    } catch (error) {
      failures.push(error);
      hangs ||= (error as Error).name === "TimeoutError";
    }
  });
  await forgetFiles(db, removed);
  return hangs ? 0 : keyPrefixes.length;
}

/** Removes leftovers on this machine; every machine sweeps its own. */
export async function sweepMachine({ db, config }: Pick<SweeperOptions, "db" | "config">) {
  const isUnfinished = (taskId: string) => isTaskUnfinished(db, taskId);
  return {
    partialFiles: await sweepPartialFiles(config.blobsDir, hoursAgo(PARTIAL_FILE_HOURS)),
    gapInputs: await sweepGapInputs(config.workDir, hoursAgo(GAP_INPUT_HOURS)),
    workDirs: await sweepWorkDirs({ db, workDir: config.workDir, isUnfinished }),
    helperDirs: await sweepHelperDirs({ workDir: config.workDir, isUnfinished }),
    cells: sweepCells(config.workDir),
    stems: await sweepStems({ db, config }),
  };
}

/** Removes cached stems of Tasks that were deleted or whose outputs are gone. */
async function sweepStems({ db, config }: Pick<SweeperOptions, "db" | "config">): Promise<number> {
  const { cacheDir, stemCacheBytes, outputRetentionHours } = config;
  return await sweepStemCache(cacheDir, async (taskId) =>
    stemCacheBytes === 0 ? false : hasOutputsToKeep(db, taskId, outputRetentionHours),
  );
}

/** Sweeps periodically until closed. */
export function startSweeper(
  log: FastifyBaseLogger,
  sweepOnce: (signal: AbortSignal) => Promise<Record<string, number>>,
) {
  const closing = new AbortController();
  let sweeping = Promise.resolve();
  let timer: NodeJS.Timeout;

  async function sweepAndLog(): Promise<void> {
    try {
      const removed = await sweepOnce(closing.signal);
      if (Object.values(removed).some((count) => count > 0)) log.info({ removed }, "sweep finished");
    } catch (error) {
      log.error({ err: error }, "the sweep failed; the next one tries again");
    }
  }
  const schedule = (delayMs: number) => {
    timer = setTimeout(() => {
      sweeping = sweepAndLog().then(() => {
        if (!closing.signal.aborted) schedule(SWEEP_INTERVAL_MS);
      });
    }, delayMs);
  };
  schedule(FIRST_SWEEP_MS);

  return {
    async close(): Promise<void> {
      closing.abort();
      clearTimeout(timer);
      await sweeping;
    },
  };
}
