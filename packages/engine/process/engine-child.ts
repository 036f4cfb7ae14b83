import { enableCompileCache, flushCompileCache } from "node:module";
import { findCompileCachePath } from "../compile-cache.ts";

/** Entry point of the engine process: its files are readable by its user only, and modules are loaded from the compile cache if possible. */
process.umask(0o077);
const cachePath = findCompileCachePath();
if (cachePath !== undefined) enableCompileCache(cachePath);
await import("./serve-requests.ts");
// Now, because the process is stopped by a kill.
flushCompileCache();
