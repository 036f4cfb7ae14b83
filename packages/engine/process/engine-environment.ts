import { join } from "node:path";

/**
 * glibc settings of a child: 2 MB pages, one heap for all threads, and blocks of up to 64 MB stay in it for the network's next layer. By default glibc
 * returns each layer's buffers to the system and gets them back 4 KB at a time. Other C libraries ignore this.
 */
const HEAP_SETTINGS = [
  "glibc.malloc.hugetlb=1",
  "glibc.malloc.arena_max=1",
  `glibc.malloc.mmap_threshold=${64 * 2 ** 20}`,
  `glibc.malloc.trim_threshold=${2 ** 30}`,
];

/**
 * Node flags of an engine child. Limits the young generation to 4 MB: by default it grows to 16 MB over hours of work that needs no more than in its
 * first minutes.
 */
export const ENGINE_FLAGS = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=4"] as const;

/** The parent's variables that an engine child gets, by name or by the beginning of the name: the locale, and settings of Node, glibc and GPU drivers. */
const NAMES = [
  ...["PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "TMP", "TEMP"],
  ...["NODE_OPTIONS", "NODE_PATH", "LD_LIBRARY_PATH", "LD_PRELOAD"],
];
const PREFIXES = [
  "CUDA_",
  "NVIDIA_",
  "VK_",
  "MESA_",
  "__GL_",
  "__EGL_",
  "__NV_",
  "ORT_",
  "HSA_",
  "ROCR_",
  "LIBGL_",
];

/** Where drivers keep what they compile: by default in the home folder, which the child can't reach. */
const DRIVER_CACHES = [
  "CUDA_CACHE_PATH",
  "__GL_SHADER_DISK_CACHE_PATH",
  "MESA_SHADER_CACHE_DIR",
  "XDG_CACHE_HOME",
];

/** What the parent of this program has set for it alone. */
export const findOwnVariable = (name: "STEMWRIGHT_START" | "STEMWRIGHT_CONFINEMENT" | "NODE_COMPILE_CACHE") =>
  process.env[name];

/** The environment of an engine child: no secret of its parent, and heap settings, of which the operator's own come last and win. */
export function makeEngineEnvironment(
  { driverCacheDir }: { driverCacheDir?: string } = {},
  environment: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const { GLIBC_TUNABLES: given } = environment;
  const passed = Object.entries(environment).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined &&
      (NAMES.includes(entry[0]) || PREFIXES.some((prefix) => entry[0].startsWith(prefix))),
  );
  const caches =
    driverCacheDir === undefined ? [] : DRIVER_CACHES.map((name) => [name, join(driverCacheDir, "driver")]);
  return {
    ...Object.fromEntries(caches),
    ...Object.fromEntries(passed),
    GLIBC_TUNABLES: [...HEAP_SETTINGS, ...(given === undefined ? [] : [given])].join(":"),
  };
}
