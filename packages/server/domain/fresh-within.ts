import { setTimeout as wait } from "node:timers/promises";

/**
 * What `load` gives. Where that takes longer than the limit, what it gave last, which the next call finds renewed: whoever asks
 * again and again is never kept waiting, but for the first time. One load is under way at most.
 */
export function freshWithin<Value>(limitMs: number, load: () => Promise<Value>): () => Promise<Value> {
  let last: { value: Value } | undefined;
  let loading: Promise<Value> | undefined;

  async function renew(): Promise<Value> {
    try {
      const value = await load();
      last = { value };
      return value;
    } finally {
      loading = undefined;
    }
  }

  return async () => {
    loading ??= renew();
    if (!last) return await loading;
    const { value } = last;
    const late = new AbortController();
    try {
      return await Promise.race([
        loading,
        wait(limitMs, value, { signal: late.signal, ref: false }).catch(() => value),
      ]);
    } finally {
      late.abort();
      // One that fails behind the limit is tried again by the next call.
      loading?.catch(() => {});
    }
  };
}
