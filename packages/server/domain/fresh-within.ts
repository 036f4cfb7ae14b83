import { setTimeout as wait } from "node:timers/promises";

/**
 * The result of `load`. If that takes longer than the limit, the previous result, and the next call gets the new one: only the first call ever waits longer.
 * At most one load is in progress.
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
      // If it fails after the limit, the next call retries it.
      loading?.catch(() => {});
    }
  };
}
