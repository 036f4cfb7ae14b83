import { writeFile } from "node:fs/promises";
import { EngineError, type EngineProcess } from "@stemwright/engine";
import { makeAssetStore } from "../../packages/server/db/asset-store.ts";
import { makeCreditCover } from "../../packages/server/db/credit-cover.ts";
import { makeTaskReports } from "../../packages/server/db/task-reports.ts";
import { makeWorkerRegister } from "../../packages/server/db/worker-register.ts";
import { makeLinks } from "../../packages/server/domain/links.ts";
import type { Blobs } from "../../packages/server/domain/ports.ts";
import { makeLog } from "../../packages/server/log.ts";
import { makeAddressGuard } from "../../packages/server/net/address-guard.ts";
import { openTaskQueue } from "../../packages/server/queue/task-queue.ts";
import { startWorker } from "../../packages/server/worker/worker.ts";
import type { TestDatabase } from "./test-database.ts";
import { makeTestStorage } from "./test-storage.ts";

export type RunEngine = EngineProcess["run"];

/** A worker over the real database, queue and store; only the network is left out. */
export async function startWorkerWithoutNetwork(options: {
  database: TestDatabase;
  blobs: Blobs;
  workDir: string;
  run: RunEngine;
  probeDuration?: (path: string) => Promise<number | undefined>;
}) {
  const { database, blobs, workDir, run } = options;
  const queue = await openTaskQueue({ connectionString: database.url, onError: () => {} });
  const guard = makeAddressGuard([]);
  const log = makeLog({ logLevel: "silent", logFile: undefined }, "worker");
  const worker = await startWorker({
    ...makeTestStorage({ db: database.db, guard, dataDir: workDir }),
    guard,
    pool: database.pool,
    queue,
    blobs,
    workDir,
    keptStems: { giveUp: async () => 0 },
    engine: { run, close: async () => {} },
    assets: makeAssetStore(database.db),
    links: makeLinks({ secret: Buffer.alloc(32), baseUrl: () => "http://unused" }),
    maxBytes: 1000,
    credits: makeCreditCover(database.db),
    probeDuration: options.probeDuration ?? (async () => undefined),
    version: "1.2.3",
    register: makeWorkerRegister(database.db),
    log,
    reports: makeTaskReports(database.db),
  });
  let closing: Promise<void> | undefined;
  return {
    queue,
    log,
    close(): Promise<void> {
      closing ??= worker.close();
      return closing;
    },
  };
}

/** Writes each file as if a network had made it. */
export const finishAll: RunEngine = async (request, hooks = {}) => {
  for (const { key, files } of request.targets) {
    for (const { path } of files) await writeFile(path, "stem");
    await hooks.onTargetDone?.(key, { durationSeconds: 61 });
  }
};

/** Works until it is told to stop. */
export const workUntilAborted: RunEngine = (_request, hooks = {}) =>
  new Promise((_resolve, reject) =>
    hooks.signal?.addEventListener("abort", () => reject(new EngineError("cancelled", "stopped"))),
  );
