import rateLimit, { normalizeIP } from "@fastify/rate-limit";
import { ApiError, type ApiErrorCode } from "@stemwright/contract";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { hashKey } from "../../domain/accounts/key-secrets.ts";
import type { RateCounts } from "../../domain/requests/rate-counts.ts";
import { findSessionToken } from "../access/cookies.ts";
import { isForClient } from "../errors/error-mapper.ts";
import { makeLookUpLimit } from "./look-up-limit.ts";
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
const isKeyRefused = (error: unknown) => isForClient(error) && REFUSALS.includes(error.code);

const WINDOW_MS = 1000;

export type RateLimit = {
  /** Finds the caller behind a request's key, token or session, unless its address has sent too many wrong ones. */
  limitLookUp<Found>(
    exchange: { request: FastifyRequest; reply: FastifyReply },
    lookUp: () => Promise<Found | null>,
  ): Promise<Found | null>;
  /** Counts a request whose key was rejected later on; gives the error to send. */
  countRefusedKey(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
};

/**
 * Limits requests per second by key, or by address without one. This runs before keys are verified, so that a valid key over its limit costs no query. Wrong
 * keys are counted by address, apart from requests without one: the files of the dashboard must not use up what a new key needs.
 * Health checks are not counted: monitoring must always get an answer.
 */
export async function addRateLimit(
  app: FastifyInstance,
  options: {
    perSecond: number;
    rateCounts: RateCounts;
    refuseUnknownRoute: (request: FastifyRequest) => never;
  },
): Promise<RateLimit> {
  const { perSecond: max, refuseUnknownRoute } = options;
  if (max === 0) {
    app.setNotFoundHandler(refuseUnknownRoute);
    return { limitLookUp: (_exchange, lookUp) => lookUp(), countRefusedKey: async (error) => error };
  }
  const makeError = () =>
    new ApiError("RATE_LIMITED", `Over the limit of ${max} a second; wait as Retry-After says`);
  const counter = makeRateCounter(options.rateCounts, (error) =>
    app.log.warn({ err: error }, "rate limit counted by this process alone"),
  );
  await app.register(rateLimit, {
    max,
    timeWindow: WINDOW_MS,
    store: makeRateStore(counter),
    enableDraftSpec: true,
    keyGenerator: (request) => {
      const secret = findSecret(request);
      return secret === undefined ? toAddress(request) : toHash(secret);
    },
    errorResponseBuilder: makeError,
    allowList: isHealth,
  });
  app.addHook("onRequest", async (request, reply) => {
    if (isHealth(request)) setHeaders(reply, { max, remaining: max, ttl: 0 });
  });
  // Guessing paths is limited as well.
  app.setNotFoundHandler({ preHandler: app.rateLimit() }, refuseUnknownRoute);

  const toWrongKeys = (address: string) => `wrong keys of ${address}`;
  const readWrong = (address: string) => counter.read(toWrongKeys(address), { max });
  const countWrong = (address: string) => counter.count(toWrongKeys(address), { max, windowMs: WINDOW_MS });
  const setWrongHeaders = (reply: FastifyReply, { current, ttl }: { current: number; ttl: number }) =>
    setHeaders(reply, { max, remaining: Math.max(0, max - current), ttl });
  const refuse = (reply: FastifyReply, { ttl }: { ttl: number }) => {
    void reply.header("retry-after", Math.max(1, Math.ceil(ttl / 1000)));
    return makeError();
  };
  const limit = makeLookUpLimit({
    readLeft: (address) => max - readWrong(address).current,
    isWrong: isKeyRefused,
    countWrong: async (address) => void (await countWrong(address)),
    makeError,
  });
  const counted = new WeakSet<FastifyRequest>();
  return {
    async limitLookUp({ request, reply }, lookUp) {
      const secret = findSecret(request);
      if (secret === undefined) return await lookUp();
      const address = toAddress(request);
      try {
        return await limit({ address, key: toHash(secret) }, lookUp);
      } catch (error) {
        if (isKeyRefused(error)) counted.add(request);
        else if (!isForClient(error) || error.code !== "RATE_LIMITED") throw error;
        const wrong = readWrong(address);
        setWrongHeaders(reply, wrong);
        throw isKeyRefused(error) ? error : refuse(reply, wrong);
      }
    },
    async countRefusedKey(error, request, reply) {
      if (!isKeyRefused(error) || counted.has(request) || findSecret(request) === undefined) return error;
      const wrong = await countWrong(toAddress(request));
      setWrongHeaders(reply, wrong);
      return wrong.current > max ? refuse(reply, wrong) : error;
    },
  };
}

// A connection that is already gone has no address.
const toAddress = ({ ip }: FastifyRequest) => normalizeIP(ip ?? "");
/** The limiter must not hold keys in memory. */
const toHash = (secret: string) => hashKey(secret).toString("base64");

function setHeaders(
  reply: FastifyReply,
  { max, remaining, ttl }: { max: number; remaining: number; ttl: number },
): void {
  void reply
    .header("ratelimit-limit", max)
    .header("ratelimit-remaining", remaining)
    .header("ratelimit-reset", Math.ceil(ttl / 1000));
}
