import { ApiError } from "@stemwright/contract";
import type { FastifyInstance } from "fastify";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;
const PREFLIGHT_MAX_AGE_SECONDS = 86_400;

/**
 * The methods a path has no route for: OPTIONS tells which it has, to browsers before they send a request from another
 * origin too; every other one is 405 with `Allow`.
 */
export function addOtherMethods(
  app: FastifyInstance,
  methodsOf: ReadonlyMap<string, ReadonlySet<string>>,
): void {
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
          .header("allow", allowed)
          .header("access-control-allow-methods", allowed)
          .header("access-control-max-age", PREFLIGHT_MAX_AGE_SECONDS)
          .header("vary", "access-control-request-headers")
          .send();
      },
    });
    app.route({
      ...options,
      method: METHODS.filter((method) => !methods.has(method)),
      handler: async (request, reply) => {
        void reply.header("allow", allowed);
        throw new ApiError("METHOD_NOT_ALLOWED", `${url} has no ${request.method}; it takes ${allowed}`);
      },
    });
  }
}
