import { finished } from "node:stream/promises";
import { setTimeout as wait } from "node:timers/promises";
import type { FastifyInstance, FastifyRequest } from "fastify";

/** So long the body of a request that was refused unread is waited for. */
const LINGER_MS = 5000;

/**
 * Many clients read no answer before all is sent, so the rest of a refused upload is read too. Where the connection ends with the answer, that
 * has to wait for it, or the client would hear of a broken connection alone.
 */
export async function passOverRest({ raw }: FastifyRequest): Promise<void> {
  raw.unpipe().resume();
  if (raw.headers.connection?.toLowerCase() === "close") await finished(raw).catch(() => {});
}

/** The same for requests refused before their route, also from unauthenticated clients; so there is a limit. */
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
