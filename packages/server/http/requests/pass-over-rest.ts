import { finished } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** How long we keep reading the body of a rejected request. */
const LINGER_MS = 5000;

/**
 * Many clients read the response only after sending everything, so the rest of a rejected upload is read and discarded. If the connection
 * closes with the response, the response has to wait for that, or the client would see a reset connection instead.
 */
export async function passOverRest({ raw }: FastifyRequest): Promise<void> {
  raw.unpipe().resume();
  if (raw.headers.connection?.toLowerCase() === "close") await finished(raw).catch(() => {});
}

/** The same for requests rejected before they reach a route. Unauthenticated clients can cause this, so time is limited. */
export function addLingering(app: FastifyInstance): void {
  app.addHook("onSend", async (request, reply) => {
    const { raw } = request;
    const isRefused = reply.statusCode >= 400 && reply.statusCode !== 408;
    if (!isRefused || raw.complete || raw.destroyed) return;
    const controller = new AbortController();
    await Promise.race([
      passOverRest(request),
      wait(LINGER_MS, undefined, { signal: controller.signal }).catch(() => {}),
    ]);
    controller.abort();
  });
}
