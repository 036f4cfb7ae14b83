import { openFileBlobs } from "../../packages/server/blobs/file-blobs.ts";
import { makeGainEngines } from "./gain-engine.ts";
import { startWorkerWithoutNetwork } from "./test-worker.ts";

/** A worker in a separate process, to be killed: it stops at its third segment, and reports that. */
const [connectionString = "", blobsDir = "", workDir = "", segmentFrames = "", fromSeconds = ""] =
  process.argv.slice(2);
const { run, runSpan } = makeGainEngines({
  segmentFrames: Number(segmentFrames),
  async beforeSegment(index) {
    if (index < 2) return;
    process.send?.("stuck");
    await new Promise(() => {});
  },
});
await startWorkerWithoutNetwork({
  ...{ connectionString, workDir, run },
  blobs: await openFileBlobs(blobsDir),
  spans: { fromSeconds: Number(fromSeconds), runSpan },
});
process.once("disconnect", () => process.exit());
