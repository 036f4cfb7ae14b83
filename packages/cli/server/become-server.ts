import { fileURLToPath } from "node:url";

/** As `npm start` sets them: a service that runs for weeks gives memory back. */
const SERVER_FLAGS = ["--max-semi-space-size=4", "--heap-growing-percent=40"];

/** Replaces this process by the service's, so that signals and exit codes need no forwarding. */
export function becomeServer(args: readonly string[]): never {
  const main = fileURLToPath(import.meta.resolve("@stemwright/server/main"));
  // Experimental in Node, which prints a warning.
  process.removeAllListeners("warning");
  if (process.execve === undefined)
    throw new Error("this Node cannot start the service: use Node 24 on Linux");
  return process.execve(process.execPath, [process.execPath, ...SERVER_FLAGS, main, ...args]);
}
