/**
 * What glibc does with the memory of a child: pages of 2 MB, one heap for all threads, and blocks of up to 64 MB stay in it for the next layer of a
 * network. By default it hands each layer's buffers back to the system and fetches them again, 4 KB at a time. Other C libraries do not read this.
 */
const HEAP_SETTINGS = [
  "glibc.malloc.hugetlb=1",
  "glibc.malloc.arena_max=1",
  `glibc.malloc.mmap_threshold=${64 * 2 ** 20}`,
  `glibc.malloc.trim_threshold=${2 ** 30}`,
];

/**
 * Flags of Node for an engine child. A young generation that may not grow beyond 4 MB: by default it comes to 16 MB over hours of work, which needs no
 * more than it did in the first minutes.
 */
export const ENGINE_FLAGS = ["--disable-warning=ExperimentalWarning", "--max-semi-space-size=4"] as const;

/** The environment of an engine child: its parent's, with settings of the heap. An operator's own come last, where they win. */
export function makeEngineEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const { GLIBC_TUNABLES: given } = environment;
  return {
    ...environment,
    GLIBC_TUNABLES: [...HEAP_SETTINGS, ...(given === undefined ? [] : [given])].join(":"),
  };
}
