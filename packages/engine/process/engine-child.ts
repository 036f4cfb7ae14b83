import { enableCompileCache, flushCompileCache } from "node:module";
import { useCompileCachePath } from "../compile-cache.ts";
import { findOwnVariable } from "./engine-environment.ts";

/** Entry point of the engine process: its files are readable by its user only, and modules are loaded from the compile cache if possible. */
process.umask(0o077);
const cachePath = findOwnVariable("NODE_COMPILE_CACHE");
if (cachePath !== undefined) {
  useCompileCachePath(cachePath);
  enableCompileCache(cachePath);
}
const { tellStarted } = await import("./serve-requests.ts");
// Now, because the process is stopped by a kill.
flushCompileCache();
tellStarted(findOwnVariable("STEMWRIGHT_CONFINEMENT"));
