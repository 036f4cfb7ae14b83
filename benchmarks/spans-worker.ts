import { setTimeout as wait } from "node:timers/promises";
import { openFileBlobs } from "../packages/server/blobs/file-blobs.ts";
import { makeGainEngines } from "../test/support/gain-engine.ts";
import { startWorkerWithoutNetwork } from "../test/support/test-worker.ts";

/** A worker in a separate process, whose network takes the same time for every segment and no CPU. */
const [connectionString = "", blobsDir = "", workDir = "", segmentMs = "", fromSeconds = ""] =
  process.argv.slice(2);
const SAMPLE_RATE_HZ = 8000;
/** As long as those of htdemucs. */
const SEGMENT_FRAMES = 7.8 * SAMPLE_RATE_HZ;

// One at a time, like a network in its thread.
let last = Promise.resolve();
const { run, runSpan, segments } = makeGainEngines({
  segmentFrames: SEGMENT_FRAMES,
  sampleRateHz: SAMPLE_RATE_HZ,
  beforeSegment(_index, signal) {
    last = last.then(() => wait(Number(segmentMs), undefined, { signal }).catch(() => {}));
    return last;
  },
});
const worker = await startWorkerWithoutNetwork({
  ...{ connectionString, workDir, run },
  blobs: await openFileBlobs(blobsDir),
  workMaxBytes: 1e11,
  spans: { fromSeconds: Number(fromSeconds), runSpan },
});
process.send?.("ready");
process.once("message", async () => {
  process.send?.({ segments: segments(), cpuSeconds: process.cpuUsage().user / 1e6 });
  await worker.close();
  process.exit();
});
process.once("disconnect", () => process.exit());
