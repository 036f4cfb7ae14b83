import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const LIVE = "/health/live";
const READY = "/health/ready";

export type HealthServer = { address: string; close(): Promise<void> };

/**
 * Health checks for a worker, which has no other port: whether the process is alive, and whether it would take a Task. Bodies and status
 * codes match the API's.
 */
export async function startHealthServer(options: {
  host: string;
  port: number;
  /** Why no Task would be taken; undefined if one would. */
  findFault(): string | undefined;
}): Promise<HealthServer> {
  const server = createServer((request, response) => {
    const [path] = (request.url ?? "").split("?");
    const fault = path === READY ? options.findFault() : undefined;
    const isKnown = (path === LIVE || path === READY) && ["GET", "HEAD"].includes(request.method ?? "");
    const statusCode = !isKnown ? 404 : fault === undefined ? 200 : 503;
    const body = { status: statusCode === 200 ? "ok" : isKnown ? "unavailable" : "unknown", message: fault };
    response.writeHead(statusCode, { "content-type": "application/json", "cache-control": "no-store" });
    response.end(JSON.stringify(body));
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(options.port, options.host, listening.resolve);
  await listening.promise;
  const { address, port, family } = server.address() as AddressInfo;
  return {
    address: `http://${family === "IPv6" ? `[${address}]` : address}:${port}`,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
