import { setTimeout as wait } from "node:timers/promises";

const CHECK_MS = 200;

/** A load balancer: checks each API's readiness, distributes requests over the ready ones in turn, and retries those that were refused a connection. */
export function makeBalancer(addresses: readonly string[]) {
  const ready = new Set<string>();
  const closing = new AbortController();
  const failures: string[] = [];
  let requests = 0;

  async function check(address: string): Promise<void> {
    while (!closing.signal.aborted) {
      const isReady = await fetch(`${address}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isReady) ready.add(address);
      else ready.delete(address);
      await wait(CHECK_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  }
  for (const address of addresses) void check(address);

  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    requests += 1;
    const chosen = [...ready];
    const turn = chosen.map((_, index) => chosen[(requests + index) % chosen.length]);
    let reason = "no API is ready";
    for (const address of turn) {
      try {
        const response = await fetch(`${address}${path}`, init);
        if (!response.ok) failures.push(`${init.method ?? "GET"} ${path}: ${response.status}`);
        return response;
      } catch (error) {
        reason = String((error as Error).cause ?? error);
        // Connection refused: nothing was done, so another server can be tried. After any other error something may have been done.
        if (!reason.includes("ECONNREFUSED")) break;
      }
    }
    failures.push(`${init.method ?? "GET"} ${path}: ${reason}`);
    return new Response(null, { status: 502 });
  }

  return {
    send,
    requests: () => requests,
    failures: () => failures,
    async whenReady(count: number): Promise<void> {
      while (ready.size < count) await wait(CHECK_MS);
    },
    close: () => closing.abort(),
  };
}
