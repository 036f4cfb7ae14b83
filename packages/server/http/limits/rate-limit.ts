import rateLimit, { normalizeIP } from "@fastify/rate-limit";
import { ApiError, type ApiErrorCode } from "@stemwright/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hashKey } from "../../domain/accounts/key-secrets.ts";
import type { RateCounts } from "../../domain/requests/rate-counts.ts";
import { findSessionToken } from "../access/cookies.ts";
import { isForClient } from "../errors/error-mapper.ts";
import { makeRateCounter, makeRateStore } from "./shared-rate-store.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The route takes a token in `Authorization`. */
    takesToken?: boolean;
  }
}

/** The key, token or session that the route will check. With any other, a caller could choose whom to be counted as. */
function findSecret(request: FastifyRequest): string | undefined {
  const { is404, headers, routeOptions } = request;
  if (is404) return undefined;
  const key = headers["x-api-key"];
  const token = routeOptions.config.takesToken ? headers.authorization : undefined;
  // Only one of the two need be valid; the other could be varied to dodge the limit.
  if (key && token) return undefined;
  // A public route accepts any session, even an invented one.
  const session = routeOptions.config.isPublic ? undefined : findSessionToken(request);
  const secret = key || token || session;
  return typeof secret === "string" ? secret : undefined;
}

const isHealth = ({ routeOptions }: FastifyRequest) => routeOptions.config.isHealth === true;

const REFUSALS: readonly ApiErrorCode[] = ["KEY_INVALID", "KEY_MISSING", "SESSION_INVALID"];

type ErrorCounter = (error: unknown, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/**
 * Limits requests per second by key, or by address without one. This runs before keys are verified, so that a valid key over its limit
 * costs no query. The returned function counts requests with rejected keys by address as well; it gives the error to send.
 * Health checks are not counted: monitoring must always get an answer.
 */
export async function addRateLimit(
  app: FastifyInstance,
  options: {
    perSecond: number;
    rateCounts: RateCounts;
    refuseUnknownRoute: (request: FastifyRequest) => never;
  },
): Promise<ErrorCounter> {
  const { perSecond, refuseUnknownRoute } = options;
  if (perSecond === 0) {
    app.setNotFoundHandler(refuseUnknownRoute);
    return async (error) => error;
  }
  const makeError = () =>
    new ApiError("RATE_LIMITED", `Over the limit of ${perSecond} a second; wait as Retry-After says`);
  const withoutKey = new WeakSet<FastifyRequest>();
  const count = makeRateCounter(options.rateCounts, (error) =>
    app.log.warn({ err: error }, "rate limit counted by this process alone"),
  );
  await app.register(rateLimit, {
    max: perSecond,
    timeWindow: 1000,
    store: makeRateStore(count),
    enableDraftSpec: true,
    // Hashed: the limiter must not hold keys in memory.
    keyGenerator: (request) => {
      const secret = withoutKey.has(request) ? undefined : findSecret(request);
      // A connection that is already gone has no address.
      return secret === undefined ? normalizeIP(request.ip ?? "") : hashKey(secret).toString("base64");
    },
    errorResponseBuilder: makeError,
    allowList: isHealth,
  });
  app.addHook("onRequest", async (request, reply) => {
    if (isHealth(request)) setHeaders(reply, { max: perSecond, remaining: perSecond, ttlInSeconds: 0 });
  });
  // Guessing paths is limited as well.
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, refuseUnknownRoute);

  const countRequest = app.createRateLimit();
  return async (error, request, reply) => {
    const isKeyRefused = isForClient(error) && REFUSALS.includes(error.code);
    if (!isKeyRefused || findSecret(request) === undefined) return error;
    withoutKey.add(request);
    const counted = await countRequest(request);
    if (counted.isAllowed) return error;
    setHeaders(reply, counted);
    if (!counted.isExceeded) return error;
    void reply.header("retry-after", counted.ttlInSeconds);
    return makeError();
  };
}

function setHeaders(
  reply: FastifyReply,
  { max, remaining, ttlInSeconds }: { max: number; remaining: number; ttlInSeconds: number },
): void {
  void reply
    .header("ratelimit-limit", max)
    .header("ratelimit-remaining", remaining)
    .header("ratelimit-reset", ttlInSeconds);
}
