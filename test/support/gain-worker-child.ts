import { openFileBlobs } from "../../packages/server/blobs/file-blobs.ts";
import { makeGainEngine } from "./gain-engine.ts";
import { startWorkerWithoutNetwork } from "./test-worker.ts";

/** A worker in a separate process, to be killed: it stops making progress at its third segment, and reports that. */
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
