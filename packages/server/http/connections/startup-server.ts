import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import { ApiError } from "@stemwright/contract";
import { toErrorBody } from "../errors/error-mapper.ts";

const RETRY_AFTER_SECONDS = 5;

/** Stands in for an API that can't start yet: liveness is 200, everything else 503 with the reason. */
export async function openWaitingRoom(
  place: { host: string; port: number },
  findReason: () => string,
): Promise<{ close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const isLive = request.url?.split("?")[0] === "/health/live";
    const requestId = randomUUID();
    const body = isLive
      ? { status: "ok" }
      : toErrorBody(new ApiError("UNAVAILABLE", findReason()), requestId);
    response.statusCode = isLive ? 200 : 503;
    response.setHeader("content-type", "application/json; charset=utf-8");
    response.setHeader("x-request-id", requestId);
    response.setHeader("access-control-allow-origin", "*");
    response.setHeader("connection", "close");
    if (!isLive) response.setHeader("retry-after", RETRY_AFTER_SECONDS);
    response.end(JSON.stringify(body));
    request.resume();
  });
  server.listen(place.port, place.host);
  await once(server, "listening");
  return {
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
