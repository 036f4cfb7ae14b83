import type { SchemaFault } from "../db/schema/schema-fault.ts";
import { watchSchema } from "../monitoring/schema-watch.ts";
import type { RetryPolicy } from "../waiting/call-until-answered.ts";
import { waitForSchema } from "./wait-for-schema.ts";

/** How soon a worker stops after the schema became too new for it. Its claims fail in any case. */
const LOOK_MS = 15_000;

/**
 * Runs a worker as long as this release supports the schema: starts once the schema exists, stops when another release has migrated it too far, and starts
 * again if that is undone.
 */
export async function workWhileSchemaFits(options: {
  start(): Promise<{ close(): Promise<void> }>;
  findFault(): Promise<SchemaFault | undefined>;
  retryPolicy: RetryPolicy;
  lookMs?: number;
}): Promise<{ close(): Promise<void> }> {
  const { findFault, retryPolicy, lookMs = LOOK_MS } = options;
  const { log } = retryPolicy;
  const closing = new AbortController();
  const signal = AbortSignal.any([closing.signal, retryPolicy.signal]);

  const startWhenReady = async (waiting: RetryPolicy) => {
    await waitForSchema(findFault, waiting);
    return await options.start();
  };

  function whenUnfit(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const watch = watchSchema({ findFault, intervalMs: lookMs, log, onFault: resolve });
    closing.signal.addEventListener("abort", () => resolve(), { once: true });
    return promise.finally(() => watch.close());
  }

  let worker = await startWhenReady({ ...retryPolicy, signal });
  async function keep(): Promise<void> {
    for (;;) {
      await whenUnfit();
      await worker.close();
      if (closing.signal.aborted) return;
      // Without a time limit.
      worker = await startWhenReady({ signal, log });
    }
  }
  const keeping = keep().catch((error) => {
    if (!closing.signal.aborted) throw error;
  });
  return {
    async close() {
      closing.abort();
      await keeping;
    },
  };
}
