import { openFileBlobs } from "../../packages/server/blobs/file-blobs.ts";
import { startWorkerWithoutNetwork, workUntilAborted } from "./test-worker.ts";

/** A worker in a separate process that can be killed or frozen: it never finishes, and reports its state to its parent. */
const [connectionString = "", blobsDir = "", workDir = ""] = process.argv.slice(2);
await startWorkerWithoutNetwork({
  connectionString,
  blobs: await openFileBlobs(blobsDir),
  workDir,
  async run(request, hooks) {
    process.send?.("working");
    await workUntilAborted(request, hooks).finally(() => process.send?.("stopped"));
  },
});
process.once("disconnect", () => process.exit());
