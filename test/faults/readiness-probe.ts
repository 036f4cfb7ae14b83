import { setTimeout as wait } from "node:timers/promises";
import { Agent, fetch } from "undici";

const INTERVAL_MS = 100;
const TIMEOUT_MS = 2000;
const dispatcher = new Agent({ pipelining: 0 });

export type Outage = { fromMs: number; toMs: number };
export type ReadinessProbe = {
  isReady(): boolean;
  /** Whether the API at the address was ready at any moment between the two. */
  wasReady(address: string, fromMs: number, toMs: number): boolean;
  /** Periods in which no API was ready. */
  listOutages(): Outage[];
  stop(): Promise<void>;
};

/** Polls every API's readiness ten times a second, like a load balancer. */
export function startReadinessProbe(addresses: readonly string[]): ReadinessProbe {
  const stopping = new AbortController();
  const readyTimesMs = new Map(addresses.map((address) => [address, [] as number[]]));
  const isReadyNow = new Map(addresses.map((address) => [address, false]));
  const outages: Outage[] = [];
  let downSinceMs: number | undefined = performance.now();

  function note(address: string, askedAtMs: number, isReady: boolean): void {
    isReadyNow.set(address, isReady);
    // The time of the request: the answer may come out of a buffer after the API was killed.
    if (isReady) readyTimesMs.get(address)?.push(askedAtMs);
    const isUp = [...isReadyNow.values()].includes(true);
    if (isUp && downSinceMs !== undefined) {
      outages.push({ fromMs: downSinceMs, toMs: performance.now() });
      downSinceMs = undefined;
    } else if (!isUp) downSinceMs ??= askedAtMs;
  }

  async function watch(address: string): Promise<void> {
    while (!stopping.signal.aborted) {
      const askedAtMs = performance.now();
      const isReady = await fetch(`${address}/health/ready`, {
        dispatcher,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      }).then(
        async (response) => (await response.text()) !== "" && response.status === 200,
        () => false,
      );
      note(address, askedAtMs, isReady);
      await wait(INTERVAL_MS);
    }
  }
  const watching = Promise.all(addresses.map(watch));

  return {
    isReady: () => downSinceMs === undefined,
    wasReady: (address, fromMs, toMs) =>
      (readyTimesMs.get(address) ?? []).some((atMs) => atMs > fromMs && atMs < toMs),
    listOutages: () => [
      ...outages,
      ...(downSinceMs === undefined ? [] : [{ fromMs: downSinceMs, toMs: performance.now() }]),
    ],
    async stop() {
      stopping.abort();
      await watching;
    },
  };
}
