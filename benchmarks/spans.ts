import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import { openFileBlobs } from "../packages/server/blobs/file-blobs.ts";
import { insertClient } from "../packages/server/db/accounts/client-rows.ts";
import { insertAsset } from "../packages/server/db/assets/asset-rows.ts";
import { openDatabase } from "../packages/server/db/connection/open-database.ts";
import type { Database } from "../packages/server/db/database.ts";
import { startEmbeddedPostgres } from "../packages/server/db/embedded-postgres/embedded-postgres.ts";
import { migrate } from "../packages/server/db/schema/migrate.ts";
import { findTask, insertTask } from "../packages/server/db/tasks/task-rows.ts";
import { notifyWaiting } from "../packages/server/db/tasks/waiting-tasks.ts";
import { makeId } from "../packages/server/domain/ids.ts";
import { makeTempDir } from "../test/support/temp-dir.ts";
import { describeRun } from "./machine.ts";
import { makeWavHeader } from "./wav-header.ts";

/*
 * How long a long input takes on one worker and on four. Real workers in separate processes, a real database and store, including decoding, joining,
 * previews and encoding; only the network sleeps, the same time per segment, so that five of them can run on two cores. One worker and four run at the same
 * time, each group with its own database and store. `npm run bench spans -- [HOURS] [SEGMENT_MS] [SPLIT_INPUT_SECONDS]`.
 */
const [hours = "3", segmentMs = "1000", fromSeconds = "900"] = process.argv.slice(2);
/** The network sleeps at any rate; at this one, the rest of the work is small. */
const SAMPLE_RATE_HZ = 8000;
const WORKER = join(import.meta.dirname, "spans-worker.ts");

type Figures = { seconds: number; segments: number[] };
type Bench = { url: string; dataDir: string; assetId: string };

/** Mono, 16 bits; never silent, since silence is not run. */
async function writeInput(path: string, seconds: number): Promise<void> {
  const second = Buffer.alloc(2 * SAMPLE_RATE_HZ);
  for (let n = 0; n < SAMPLE_RATE_HZ; n += 1)
    second.writeInt16LE(Math.round(9000 * Math.sin((2 * Math.PI * 440 * n) / SAMPLE_RATE_HZ)), 2 * n);
  const header = makeWavHeader(second.length * seconds, SAMPLE_RATE_HZ / 2);
  // One channel has the same bytes per second as two at half the rate.
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(SAMPLE_RATE_HZ, 24);
  header.writeUInt16LE(2, 32);
  const content = Readable.from(
    (function* () {
      yield header;
      for (let index = 0; index < seconds; index += 1) yield second;
    })(),
  );
  await pipeline(content, createWriteStream(path));
}

/** Resolves once all of them have sent a heartbeat. */
async function startWorkers(count: number, { url, dataDir }: Bench): Promise<ChildProcess[]> {
  const workers: ChildProcess[] = [];
  for (let index = 0; index < count; index += 1) {
    const dirs = [join(dataDir, "blobs"), join(dataDir, `machine-${makeId()}`)];
    const worker = fork(WORKER, [url, ...dirs, segmentMs, fromSeconds]);
    await once(worker, "message");
    workers.push(worker);
  }
  return workers;
}

/** Stops a worker; returns how many segments it ran. */
async function endWorker(worker: ChildProcess): Promise<{ segments: number; cpuSeconds: number }> {
  const told = once(worker, "message");
  const ended = once(worker, "exit");
  worker.send("end");
  const [figures] = await told;
  await ended;
  return figures;
}

async function measure(db: Database, count: number, bench: Bench): Promise<Figures> {
  const workers = await startWorkers(count, bench);
  const target = { id: makeId(), model: "vocals", formats: ["flac"], creditsPerMinute: 1 };
  const { assetId } = bench;
  const id = makeId();
  const startedMs = performance.now();
  await db.transaction().execute((transaction) =>
    insertTask(transaction, {
      ...{ id, clientId: "bench", assetId, createdAt: new Date(), targets: [target] },
    }),
  );
  await notifyWaiting(db);
  let task = await findTask(db, id);
  while (!task?.completedAt) {
    await wait(500);
    task = await findTask(db, id);
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const figures = await Promise.all(workers.map(endWorker));
  if (task.targets[0]?.status !== "completed") throw new Error(JSON.stringify(task.targets[0]?.error));
  return { seconds, segments: figures.map((one) => one.segments).sort((a, b) => b - a) };
}

/** A complete installation, with the recording as an asset. */
async function measureApart(count: number): Promise<Figures> {
  const dataDir = await makeTempDir("spans-bench");
  const postgres = await startEmbeddedPostgres({ dataDir });
  const { db, pool } = openDatabase({ connectionString: postgres.connectionString, maxConnections: 2 });
  try {
    await migrate(pool);
    const blobs = await openFileBlobs(join(dataDir, "blobs"));
    const assetId = makeId();
    await insertClient(db, { id: "bench", name: "Bench" });
    const path = join(dataDir, "input.wav");
    await writeInput(path, Math.round(3600 * Number(hours)));
    const blobKey = `assets/${assetId}/a.wav`;
    const { sizeBytes } = await blobs.adopt(blobKey, path);
    const file = { name: "a.wav", format: "wav", sizeBytes, blobKey };
    await insertAsset(db, { id: assetId, clientId: "bench", ...file, createdAt: new Date() });
    return await measure(db, count, { url: postgres.connectionString, dataDir, assetId });
  } finally {
    await db.destroy();
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

const about = describeRun();
const [four, one] = await Promise.all([measureApart(4), measureApart(1)]);
const sum = four.segments.reduce((total, segments) => total + segments, 0);
const [all = 0] = one.segments;
const lines = [
  "# Long inputs across workers",
  "",
  ...about,
  `- ${hours} hours of mono at 8 kHz, vocals as flac, previews on: \`npm run bench spans -- ${hours} ${segmentMs} ${fromSeconds}\``,
  `- a network that sleeps ${segmentMs} ms for each segment of 7.8 s (stride 5.85 s); spans of ${Number(fromSeconds) / 3} s`,
  "",
  "| workers | time s | of one worker's | segments of each | segments in all |",
  "|---|---|---|---|---|",
  `| 1 | ${one.seconds.toFixed(0)} | 1.000 | ${all} | ${all} |`,
  `| 4 | ${four.seconds.toFixed(0)} | ${(four.seconds / one.seconds).toFixed(3)} | ${four.segments.join(", ")} | ${sum} (+ ${((100 * (sum - all)) / all).toFixed(1)} %) |`,
  "",
];
console.log(lines.join("\n"));
await writeFile(join(import.meta.dirname, "results", "spans.md"), lines.join("\n"));
