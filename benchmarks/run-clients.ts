import { setTimeout as wait } from "node:timers/promises";
import { Pool } from "undici";

export type Operation = { name: string; method: "GET" | "POST"; path: () => string; body?: () => string };
type Figures = { requests: number; p50Ms: number; p99Ms: number; maxMs: number };

/** The value below which a part of the sorted values lies. */
export const percentile = (sorted: readonly number[], part: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;

/**
 * This many clients, each with one connection and one request at a time, cycling through the operations. With a pace, each starts a request at that
 * interval; without, the next one follows the last answer.
 */
export async function runClients(options: {
  address: string;
  key: string;
  clients: number;
  durationMs: number;
  requestsMax: number;
  paceMs?: number;
  operations: readonly Operation[];
}): Promise<{ perSecond: number; figures: Map<string, Figures> }> {
  const { clients, operations, paceMs } = options;
  const pool = new Pool(options.address, { connections: clients, pipelining: 1 });
  const headers = { "x-api-key": options.key, "content-type": "application/json" };
  const timesMs = new Map(operations.map(({ name }) => [name, [] as number[]]));
  const startedAt = performance.now();
  let requests = 0;

  async function runClient(client: number): Promise<void> {
    // Spread over one pace, so that they don't start all at once.
    if (paceMs !== undefined) await wait((client / clients) * paceMs);
    for (let turn = client; ; turn += 1) {
      const beganAt = performance.now();
      if (beganAt - startedAt > options.durationMs || requests >= options.requestsMax) return;
      requests += 1;
      const operation = operations[turn % operations.length];
      if (!operation) return;
      const { name, method, path, body } = operation;
      const response = await pool.request({ method, path: path(), headers, body: body?.() ?? null });
      const text = await response.body.text();
      if (response.statusCode !== 200) throw new Error(`${method} ${path()}: ${response.statusCode} ${text}`);
      const tookMs = performance.now() - beganAt;
      timesMs.get(name)?.push(tookMs);
      if (paceMs !== undefined) await wait(Math.max(0, paceMs - tookMs));
    }
  }

  await Promise.all(Array.from({ length: clients }, (_, client) => runClient(client)));
  const seconds = (performance.now() - startedAt) / 1000;
  await pool.close();
  const figures = new Map(
    [...timesMs].map(([name, times]) => {
      const sorted = times.toSorted((a, b) => a - b);
      const [p50Ms, p99Ms, maxMs] = [0.5, 0.99, 1].map((part) => percentile(sorted, part));
      return [
        name,
        { requests: times.length, p50Ms: p50Ms ?? 0, p99Ms: p99Ms ?? 0, maxMs: maxMs ?? 0 },
      ] as const;
    }),
  );
  return { perSecond: requests / seconds, figures };
}
