import { type EventLoopUtilization, performance } from "node:perf_hooks";
import { setTimeout as wait } from "node:timers/promises";
import { normalizeIP } from "@fastify/rate-limit";
import type { FastifyInstance } from "fastify";
import { makeGate } from "../../domain/gate.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Takes a good part of a second in which nothing else is answered, as megabytes of words do. */
    isHeavy?: boolean;
  }
  interface FastifyRequest {
    endTurn: (() => void) | null;
  }
}

const LIMITS = { max: 16, shareMax: 1, waitersMax: 64, waitMs: 10_000 };
/** How many times as long as its request kept the event loop busy a client waits for its next one. */
const RESTS = 3;
const MAX_REST_MS = 10_000;

/**
 * One heavy request at a time for each client, who rests afterwards: however many it sends, it takes a quarter of the time at most, and nobody else waits
 * for more than one of them. A turn includes the body, so that it is neither read nor parsed before. Call it after the key check.
 */
export function addHeavyRoutes(app: FastifyInstance): void {
  const gate = makeGate(LIMITS);
  app.decorateRequest("endTurn", null);
  app.addHook("preParsing", async (request, _reply, payload) => {
    if (!request.routeOptions.config.isHeavy) return;
    const leave = await gate.enter(request.caller?.clientId ?? normalizeIP(request.ip ?? ""));
    const readLoop = (from?: EventLoopUtilization) => performance.eventLoopUtilization(from);
    let start = readLoop();
    // A slow sender takes nobody's time.
    payload.once("end", () => {
      start = readLoop();
    });
    request.endTurn = () => {
      request.endTurn = null;
      const restMs = Math.min(MAX_REST_MS, RESTS * readLoop(start).active);
      void wait(restMs, undefined, { ref: false }).then(leave);
    };
    if (request.raw.destroyed) request.endTurn();
  });
  app.addHook("onSend", async (request) => request.endTurn?.());
  // Also runs if the client has disconnected.
  app.addHook("onResponse", async (request) => request.endTurn?.());
}
