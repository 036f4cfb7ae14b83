import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { takeTask } from "../../../test/support/begin-run.ts";
import { makeTempDir } from "../../../test/support/temp-dir.ts";
import { openTestDatabase, type TestDatabase } from "../../../test/support/test-database.ts";
import { makeTestStorage } from "../../../test/support/test-storage.ts";
import { listTestPaths } from "../../../test/support/test-worker.ts";
import { withoutLimits } from "../../../test/support/without-limits.ts";
import { openFileBlobs } from "../blobs/file-blobs.ts";
import { insertClient } from "../db/accounts/client-rows.ts";
import { makeTaskReports } from "../db/tasks/make-task-reports.ts";
import { insertTask } from "../db/tasks/task-rows.ts";
import { listSources } from "../db/tasks/task-source-rows.ts";
import { makeId } from "../domain/ids.ts";
import type { AssetStore } from "../domain/ports.ts";
import { makeLog } from "../log/make-log.ts";
import { makeAddressGuard } from "../net/address-guard.ts";
import { type RunTaskPorts, runClaimedTask } from "./runs/run-claimed-task.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

it("[J5] starting and ending a legacy job each send one callback", async () => {
  const clientId = makeId();
  await insertClient(database.db, { id: clientId, name: "Test" });
  const dataDir = await makeTempDir("callbacks");
  const blobs = await openFileBlobs(join(dataDir, "blobs"));
  const input = join(dataDir, "input");
  await writeFile(input, "sound");
  await blobs.adopt("assets/a/a.wav", input);
  const id = makeId();
  await insertTask(database.db, {
    id,
    clientId,
    createdAt: new Date(),
    assetId: "a",
    targets: [{ id: makeId(), model: "vocals", formats: ["wav"], creditsPerMinute: 1 }],
    legacyJob: {
      requestId: "request",
      callbackUrl: "https://example.com/",
      metadata: { name: "vocals", format: "wav" },
    },
  });
  let runs = 0;
  const guard = makeAddressGuard([]);
  const ports: RunTaskPorts = {
    ...makeTestStorage({ db: database.db, guard, dataDir }),
    guard,
    engine: {
      run: async (request, hooks = {}) => {
        runs += 1;
        if (runs === 1) throw new Error("a fault of the machine");
        for (const target of request.targets) {
          for (const path of listTestPaths(target)) await writeFile(path, "stem");
          await hooks.onTargetDone?.(target.key, { durationSeconds: 1 });
        }
      },
    },
    assets: { findAsset: async () => ({ blobKey: "assets/a/a.wav" }) } as unknown as AssetStore,
    blobs,
    sources: { listSources: (taskId) => listSources(database.db, taskId) },
    fetchDelaysMs: [10, 20],
    maxBytes: 1000,
    credits: { hasReservations: async () => false, coverMinutes: async (_task, minutes) => minutes },
    ...withoutLimits,
    isLong: () => false,
    workDir: join(dataDir, "work"),
    hasPreviews: false,
    log: makeLog({ logLevel: "silent", logFile: undefined }, "worker"),
    reports: makeTaskReports(database.db),
  };
  const { signal } = new AbortController();
  const run = await takeTask(database.db, id);
  await expect(runClaimedTask(ports, run, signal)).rejects.toThrow("a fault of the machine");
  await runClaimedTask(ports, run, signal);
  const { rows } = await database.pool.query(
    "select event, job_status from deliveries where task_id = $1 order by created_at",
    [id],
  );
  expect(rows).toEqual([
    { event: "job", job_status: "processing" },
    { event: "job", job_status: "completed" },
  ]);
});
