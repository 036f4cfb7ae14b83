import { openFileBlobs } from "../../packages/server/blobs/file-blobs.ts";
import { makeGainEngine } from "./gain-engine.ts";
import { startWorkerWithoutNetwork } from "./test-worker.ts";

/** A worker in a separate process, to be killed: from its third segment on it makes no progress, and says so. */
const [connectionString = "", blobsDir = "", workDir = ""] = process.argv.slice(2);
await startWorkerWithoutNetwork({
  connectionString,
  blobs: await openFileBlobs(blobsDir),
  workDir,
  run: makeGainEngine({
    async beforeSegment(index) {
      if (index < 3) return;
      process.send?.("stuck");
      await new Promise(() => {});
    },
  }),
});
process.once("disconnect", () => process.exit());
