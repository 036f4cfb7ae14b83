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

/** The environment of an engine child: its parent's, with heap settings. The operator's own come last and win. */
export function makeEngineEnvironment(environment: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const { GLIBC_TUNABLES: given } = environment;
  return {
    ...environment,
    GLIBC_TUNABLES: [...HEAP_SETTINGS, ...(given === undefined ? [] : [given])].join(":"),
  };
}
