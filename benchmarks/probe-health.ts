import { get } from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";

/** A probe's result: the status, or 0 without an answer, and the time it took. */
export type Probe = { path: string; status: number; tookMs: number; atMs: number };

const PACE_MS = 100;
const TIMEOUT_MS = 30_000;
const { address, paths } = workerData as { address: string; paths: string[] };
const probes: Probe[] = [];

/** Each on a new connection, like most monitors. */
function probe(path: string, startedAtMs: number): Promise<void> {
  const beganAt = performance.now();
  return new Promise((resolve) => {
    const finish = (status: number) => {
      probes.push({ path, status, tookMs: performance.now() - beganAt, atMs: beganAt - startedAtMs });
      resolve();
    };
    get(new URL(path, address), { agent: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume().once("close", () => finish(response.statusCode ?? 0));
    })
      .on("timeout", function (this: { destroy(): void }) {
        this.destroy();
      })
      .on("error", () => finish(0));
  });
}

// A separate thread, so that the benchmark's own work does not count as the service's.
const stopping = new AbortController();
parentPort?.once("message", () => stopping.abort());
const startedAtMs = performance.now();
const open: Promise<void>[] = [];
while (!stopping.signal.aborted) {
  for (const path of paths) open.push(probe(path, startedAtMs));
  await wait(PACE_MS, undefined, { signal: stopping.signal }).catch(() => {});
}
await Promise.all(open);
parentPort?.postMessage(probes);
