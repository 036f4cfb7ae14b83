import { enableCompileCache, flushCompileCache } from "node:module";
import { findCompileCachePath } from "../compile-cache.ts";

/**
 * The process that does the work, as it starts: what it makes is its user's alone, what it loads is looked for in the cache of compiled modules
 * first.
 */
process.umask(0o077);
const cachePath = findCompileCachePath();
if (cachePath !== undefined) enableCompileCache(cachePath);
await import("./serve-requests.ts");
// Now, because the process is ended by a kill.
flushCompileCache();
