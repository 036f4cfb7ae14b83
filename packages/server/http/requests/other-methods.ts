import { METHODS } from "node:http";
import { ApiError } from "@stemwright/contract";
import type { FastifyInstance } from "fastify";

const USED_METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** All methods Node parses, such as WebDAV's. CONNECT is for proxies and never reaches a route. */
const PARSED_METHODS = METHODS.filter((method) => method !== "CONNECT");
const MAX_PREFLIGHT_AGE_SECONDS = 86_400;

/**
 * Answers methods that a path has no route for: OPTIONS lists those it has, CORS preflights included; any other is 405 with `Allow`.
 */
export function addOtherMethods(
  app: FastifyInstance,
  methodsOf: ReadonlyMap<string, ReadonlySet<string>>,
  /** What some routes add to the response to OPTIONS, by path. */
  optionsHeaders: ReadonlyMap<string, Record<string, string>>,
): void {
  // Registered as methods without a body: it is never read.
  for (const method of PARSED_METHODS)
    if (!USED_METHODS.includes(method)) app.addHttpMethod(method, { overrideExisting: true });
  for (const [url, methods] of methodsOf) {
    const allowed = [...methods, "OPTIONS"].join(", ");
    const options = { url, config: { isPublic: true }, schema: { hide: true } };
    app.route({
      ...options,
      method: "OPTIONS",
      handler: async (request, reply) => {
        const asked = request.headers["access-control-request-headers"];
        if (asked !== undefined) void reply.header("access-control-allow-headers", asked);
        return reply
          .code(204)
          .headers(optionsHeaders.get(url) ?? {})
          .header("allow", allowed)
          .header("access-control-allow-methods", allowed)
          .header("access-control-max-age", MAX_PREFLIGHT_AGE_SECONDS)
          .header("vary", "access-control-request-headers")
          .send();
      },
    });
    app.route({
      ...options,
      method: PARSED_METHODS.filter((method) => method !== "OPTIONS" && !methods.has(method)),
      handler: async (request, reply) => {
        void reply.header("allow", allowed);
        throw new ApiError("METHOD_NOT_ALLOWED", `${url} has no ${request.method}; it takes ${allowed}`);
      },
    });
  }
}
