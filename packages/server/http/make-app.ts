import { randomUUID } from "node:crypto";
import cors from "@fastify/cors";
import multipart from "@fastify/multipart";
import rateLimit from "@fastify/rate-limit";
import { ApiError, apiErrorBody } from "@stemwright/contract";
import fastify, { type FastifyBaseLogger, type FastifyInstance } from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { hashKey } from "../domain/keys.ts";
import { addLegacyRoutes } from "../legacy/legacy-routes.ts";
import type { Api } from "./api.ts";
import { findCaller, getCaller } from "./authenticate.ts";
import { sendError, toRequestError } from "./error-mapper.ts";
import { addOpenApi } from "./openapi.ts";
import { addReferencePage } from "./reference-page.ts";
import { addAssetRoutes } from "./routes/assets.ts";
import { addFileRoutes } from "./routes/files.ts";
import { addHealthRoutes } from "./routes/health.ts";
import { addModelRoutes } from "./routes/models.ts";
import { addStatisticsRoutes } from "./routes/statistics.ts";
import { addTaskEventRoutes } from "./routes/task-events.ts";
import { addTaskRoutes } from "./routes/tasks.ts";
import { addWebhookRoutes } from "./routes/webhooks.ts";

const JSON_BODY_MAX_BYTES = 1024 ** 2;
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
const EXPOSED_HEADERS = [
  "x-request-id",
  "x-total-count",
  "idempotency-replayed",
  "accept-ranges",
  "content-range",
  "content-length",
  "content-disposition",
  "retry-after",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
];

/** Answers 405 with `Allow` on every path that has routes, for the methods it has none for. */
function addMethodNotAllowed(app: FastifyInstance, methodsOf: Map<string, Set<string>>): void {
  for (const [url, methods] of methodsOf) {
    const allowed = [...methods, "OPTIONS"].join(", ");
    app.route({
      method: METHODS.filter((method) => !methods.has(method)),
      url,
      config: { isPublic: true },
      schema: { hide: true },
      handler: async (request, reply) => {
        void reply.header("allow", allowed);
        throw new ApiError("METHOD_NOT_ALLOWED", `${url} has no ${request.method}; it takes ${allowed}`);
      },
    });
  }
}

async function addRateLimit(app: FastifyInstance, perSecond: number): Promise<void> {
  if (perSecond === 0) return;
  await app.register(rateLimit, {
    max: perSecond,
    timeWindow: 1000,
    enableDraftSpec: true,
    // The key itself is not kept in the limiter's memory.
    keyGenerator: (request) => {
      const secret = request.headers["x-api-key"] ?? request.headers.authorization;
      return typeof secret === "string" ? hashKey(secret).toString("base64") : request.ip;
    },
    errorResponseBuilder: () =>
      new ApiError("RATE_LIMITED", `More than ${perSecond} requests a second; wait as Retry-After says`),
  });
}

export async function makeApp(
  options: Omit<Api, "app"> & { logger: FastifyBaseLogger; publicBaseUrl: () => string },
): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: options.logger,
    genReqId: () => randomUUID(),
    bodyLimit: JSON_BODY_MAX_BYTES,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 500 },
    frameworkErrors: sendError,
    forceCloseConnections: "idle",
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(({ schema }) => (data) => {
    const result = (schema as z.ZodType).safeParse(data);
    return result.success ? { value: result.data } : { error: toRequestError(result.error.issues) };
  });
  app.setSerializerCompiler(serializerCompiler);
  app.setErrorHandler(sendError);
  app.setNotFoundHandler((request) => {
    throw new ApiError("NOT_FOUND", `No such route: ${request.method} ${request.url.split("?")[0]}`);
  });
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request, reply) => void reply.header("x-request-id", request.id));
  await app.register(cors, { origin: "*", exposedHeaders: EXPOSED_HEADERS, maxAge: 86_400 });
  await addRateLimit(app, options.config.rateLimitPerSecond);
  app.addHook("onRequest", async (request) => {
    if (request.is404) return;
    request.caller = (await findCaller(options.ports.keys, request)) ?? null;
    if (!request.routeOptions.config.isPublic) getCaller(request);
  });
  // Sizes are limited while streaming to the store; the parser's own limit would cut a file short instead of refusing it.
  await app.register(multipart, {
    limits: { fileSize: Number.POSITIVE_INFINITY, files: 8, fields: 100, parts: 108 },
  });
  await addOpenApi(app, options.publicBaseUrl);
  addReferencePage(app);

  const methodsOf = new Map<string, Set<string>>();
  app.addHook("onRoute", (route) => {
    const methods = methodsOf.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    methodsOf.set(route.url, methods);
    if (route.schema && !route.schema.hide)
      route.schema.response = {
        ...(route.schema.response as object | undefined),
        "4xx": apiErrorBody,
        "5xx": apiErrorBody,
      };
  });
  const api: Api = { app, ports: options.ports, links: options.links, config: options.config };
  addModelRoutes(api);
  addTaskRoutes(api);
  addTaskEventRoutes(api);
  addStatisticsRoutes(api);
  addAssetRoutes(api);
  addFileRoutes(api);
  addWebhookRoutes(api);
  addHealthRoutes(api);
  await addLegacyRoutes(api);
  addMethodNotAllowed(app, new Map(methodsOf));
  return app;
}
