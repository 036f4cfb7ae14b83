import { normalizeIP } from "@fastify/rate-limit";
import { ApiError } from "@stemwright/contract";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { type Gate, makeGate } from "../../domain/gate.ts";

export type LoadLimits = { requestsAtOnce: number; uploadsAtOnce: number };

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route waits on others, such as a client sending a file. It has separate places, so that it takes none from other routes. */
    isLong?: boolean;
  }
  interface FastifyRequest {
    leave: (() => void) | null;
  }
}

/** How long a request may wait for its place. */
const WAIT_MS = 2000;
/** How many requests may wait for each place. */
const WAITERS_PER_PLACE = 2;
const BEAT_MS = 100;
/** An event loop that lags by this much is overloaded. */
const MAX_BEHIND_MS = 1000;

/** Tells whether timers fire so late that requests have already waited a second before we see them. */
function watchEventLoop(app: FastifyInstance): () => boolean {
  let beatAtMs = performance.now();
  const timer = setInterval(() => {
    beatAtMs = performance.now();
  }, BEAT_MS).unref();
  app.addHook("onClose", async () => clearInterval(timer));
  return () => performance.now() - beatAtMs > BEAT_MS + MAX_BEHIND_MS;
}

const nameOf = ({ caller, ip }: FastifyRequest) => caller?.clientId ?? normalizeIP(ip ?? "");

/**
 * Allows this many requests at once and a few that wait briefly; the rest gets a 503 before any work is done. A request holds its place
 * from when its body has arrived, so that slow senders hold none, until it is answered: sending the response is the client's own time.
 * Call it before the key check, which queries the database.
 */
export function addLoadShedding(app: FastifyInstance, limits: LoadLimits): void {
  const open = (max: number) => makeGate({ max, waitersMax: max * WAITERS_PER_PLACE, waitMs: WAIT_MS });
  const gates = { quick: open(limits.requestsAtOnce), long: open(limits.uploadsAtOnce) };
  const isBehind = watchEventLoop(app);
  const findGate = ({ is404, routeOptions: { config } }: FastifyRequest): Gate | undefined => {
    if (is404 || config.isHealth) return undefined;
    return config.isLong ? gates.long : gates.quick;
  };

  app.decorateRequest("leave", null);
  app.addHook("preParsing", async (request) => {
    const gate = findGate(request);
    if (gate && (isBehind() || gate.isFull()))
      throw new ApiError("OVERLOADED", "The service has more to do than it can; wait as Retry-After says");
  });
  app.addHook("preHandler", async (request) => {
    request.leave = (await findGate(request)?.enter(nameOf(request))) ?? null;
  });
  app.addHook("onSend", async (request) => request.leave?.());
  // Also runs if the client has disconnected.
  app.addHook("onResponse", async (request) => request.leave?.());
}
