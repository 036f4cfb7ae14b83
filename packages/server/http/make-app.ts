import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import multipart from "@fastify/multipart";
import { ApiError, apiErrorBody } from "@stemwright/contract";
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from "fastify";
import { serializerCompiler, type ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import type { Readiness } from "../monitoring/readiness.ts";
import type { Tracer } from "../telemetry/tracer.ts";
import { checkAdmin, findKeyCaller, getCaller, toActingCaller } from "./access/authenticate.ts";
import { findSessionCaller } from "./access/session-caller.ts";
import type { WholeApi } from "./api.ts";
import {
  addConnectionLimits,
  MAX_HEADERS_BYTES,
  makeServerOptions,
} from "./connections/connection-limits.ts";
import { addDashboard } from "./dashboard/add-dashboard.ts";
import type { Dashboard } from "./dashboard/load-dashboard.ts";
import { sendError, toRequestError, toRootError } from "./errors/error-mapper.ts";
import { addHeavyRoutes } from "./limits/heavy-routes.ts";
import { addLoadShedding } from "./limits/load-shedding.ts";
import { addRateLimit } from "./limits/rate-limit.ts";
import { addOpenApi } from "./openapi/openapi.ts";
import { addReferencePage } from "./openapi/reference-page.ts";
import { addClientIdParameter, addIdempotencyHeader } from "./openapi/route-parameters.ts";
import { addFramingCheck } from "./requests/check-framing.ts";
import { toDecodablePath } from "./requests/decodable-path.ts";
import { addOtherMethods } from "./requests/other-methods.ts";
import { addLingering } from "./requests/pass-over-rest.ts";
import { isNestedTooDeep, withoutNulls } from "./requests/without-nulls.ts";
import { addCompression } from "./responses/compression.ts";
import { addNotModified } from "./responses/not-modified.ts";
import { addAccountRoutes } from "./routes/account/account-routes.ts";
import { addStatisticsRoutes } from "./routes/account/statistics-routes.ts";
import { addWebhookRoutes } from "./routes/account/webhook-routes.ts";
import { addAdminRoutes } from "./routes/admin/admin-routes.ts";
import { addAssetRoutes } from "./routes/files/asset-routes.ts";
import { addFileRoutes } from "./routes/files/file-routes.ts";
import { addStorageIntegrationRoutes } from "./routes/files/storage-integration-routes.ts";
import { addUploadRoutes } from "./routes/files/upload-routes.ts";
import { addHealthRoutes } from "./routes/service/health-routes.ts";
import { addMetricsRoute } from "./routes/service/metrics-route.ts";
import { addModelRoutes } from "./routes/service/model-routes.ts";
import { addShareRoutes } from "./routes/shares/share-routes.ts";
import { addExportRoutes } from "./routes/tasks/export-routes.ts";
import { addPreviewRoutes } from "./routes/tasks/preview-routes.ts";
import { addTaskEventRoutes } from "./routes/tasks/task-event-routes.ts";
import { addTaskRoutes } from "./routes/tasks/task-routes.ts";
import { addRealignmentRoutes } from "./routes/words/realignment-routes.ts";
import { addWordsRoutes } from "./routes/words/words-routes.ts";
import { addTracing } from "./tracing.ts";
import { addBytesParser } from "./uploads/open-body.ts";
import { TUS_HEADERS } from "./uploads/tus-headers.ts";

const MAX_JSON_BODY_BYTES = 1024 ** 2;
const EXPOSED_HEADERS = [
  "x-request-id",
  "x-total-count",
  "idempotency-replayed",
  "accept-ranges",
  "content-range",
  "content-length",
  "content-disposition",
  "retry-after",
  "location",
  ...TUS_HEADERS,
  "etag",
  "ratelimit-limit",
  "ratelimit-remaining",
  "ratelimit-reset",
].join(", ");

function refuseUnknownRoute({ method, url }: FastifyRequest): never {
  throw new ApiError("NOT_FOUND", `No such route: ${method} ${url.split("?")[0]}`);
}

/** During shutdown, requests on open connections get a 503. */
function addClosingAnswer(app: FastifyInstance, readiness: Pick<Readiness, "isDraining">): void {
  let isClosing = false;
  app.addHook("preClose", async () => {
    isClosing = true;
  });
  app.addHook("onRequest", async () => {
    if (isClosing) throw new ApiError("UNAVAILABLE", "The service is shutting down; try again in a moment");
  });
  // An open keep-alive connection would delay shutdown.
  app.addHook("onSend", async (_request, reply) => {
    if (isClosing || readiness.isDraining()) void reply.header("connection", "close");
  });
}

/** Many clients send `Content-Type: application/json` with every request, so a route without a body accepts an empty one. */
function addJsonParser(app: FastifyInstance): void {
  // `__proto__` and `constructor` are removed instead of rejected, like any unknown field.
  const parse = app.getDefaultJsonParser("remove", "remove");
  app.addContentTypeParser<Buffer>("application/json", { parseAs: "buffer" }, (request, body, done) => {
    if (body.length === 0 && request.routeOptions.schema?.body === undefined) return done(null, undefined);
    if (!isUtf8(body))
      return done(new ApiError("BODY_NOT_JSON", "The body is not valid UTF-8, which JSON has to be"));
    return parse(request, body.toString(), done);
  });
}

function addRoutes(api: WholeApi): void {
  addModelRoutes(api);
  addTaskRoutes(api);
  addTaskEventRoutes(api);
  addWordsRoutes(api);
  addRealignmentRoutes(api);
  addShareRoutes(api);
  addPreviewRoutes(api);
  addExportRoutes(api);
  addStatisticsRoutes(api);
  addAssetRoutes(api);
  addUploadRoutes(api);
  addFileRoutes(api);
  addStorageIntegrationRoutes(api);
  addWebhookRoutes(api);
  addHealthRoutes(api);
  addMetricsRoute(api);
  addAdminRoutes(api);
  addAccountRoutes(api);
}

export async function makeApp(
  options: Omit<WholeApi, "app" | "limitLookUp"> & {
    logger: FastifyBaseLogger;
    /** The built pages, or a sentence saying why there are none. */
    dashboard: Dashboard | string;
    /** Undefined if no collector is configured. */
    tracer?: Tracer | undefined;
    /** Adds the routes of other interfaces (compat). */
    addOtherRoutes: (api: WholeApi) => Promise<void>;
  },
): Promise<FastifyInstance> {
  const app = fastify({
    loggerInstance: options.logger,
    genReqId: () => randomUUID(),
    bodyLimit: MAX_JSON_BODY_BYTES,
    // Requests the router itself rejects would bypass our hooks. So no path is too long or undecodable for it.
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_HEADERS_BYTES },
    rewriteUrl: ({ url = "" }) => toDecodablePath(url),
    frameworkErrors: sendError,
    forceCloseConnections: "idle",
    // Our own hook answers, with the usual error body.
    return503OnClosing: false,
    trustProxy: options.config.trustProxy.length > 0 && [...options.config.trustProxy],
    ...makeServerOptions(options.config.connectionLimits),
  }).withTypeProvider<ZodTypeProvider>();

  app.setValidatorCompiler(({ schema, httpPart }) => (data) => {
    if (httpPart === "body" && isNestedTooDeep(data))
      return { error: new ApiError("REQUEST_INVALID", "The body is nested too deep") };
    const result = (schema as z.ZodType).safeParse(httpPart === "body" ? withoutNulls(data) : data);
    return result.success ? { value: result.data } : { error: toRequestError(result.error.issues) };
  });
  app.setSerializerCompiler(serializerCompiler);
  app.decorateRequest("caller", null);
  app.addHook("onRequest", async (request, reply) => {
    void reply
      .header("x-request-id", request.id)
      // Uploads and outputs share the dashboard's origin, so a browser must never render one as a page.
      .header("x-content-type-options", "nosniff")
      // Keys, secrets and signed links are in many answers; a route whose answer may be kept says so itself.
      .header("cache-control", "no-store")
      // Preflights are answered by the routes' own OPTIONS, which know their methods.
      .header("access-control-allow-origin", "*")
      .header("access-control-expose-headers", EXPOSED_HEADERS);
  });
  if (options.tracer) addTracing(app, options.tracer);
  addFramingCheck(app);
  addClosingAnswer(app, options.ports.readiness);
  addLingering(app);
  app.addHook("onRequest", async ({ routeOptions }) => {
    const fault = routeOptions.config.isHealth ? undefined : options.ports.readiness.findSchemaFault();
    if (fault) throw fault;
  });
  addConnectionLimits(app, options.config.connectionLimits, options.config.trustProxy);
  const { limitLookUp, countRefusedKey } = await addRateLimit(app, {
    perSecond: options.config.rateLimitPerSecond,
    rateCounts: options.ports.rateCounts,
    refuseUnknownRoute,
  });
  app.setErrorHandler(async (error, request, reply) => {
    const counted = await countRefusedKey(error, request, reply);
    sendError(toRootError(counted, options.ports.readiness.findOutage), request, reply);
    return reply;
  });
  addLoadShedding(app, options.config.load);
  const findAnyCaller = async (request: FastifyRequest) =>
    (await findKeyCaller(options.ports.keys, request)) ??
    (await findSessionCaller(options.ports.sessions, request)) ??
    null;
  // After all onRequest hooks, so that the rate limit has counted the request.
  app.addHook("preParsing", async (request, reply) => {
    const { isPublic, isAdmin, takesClientId, isHealth, looksAtKeysItself } = request.routeOptions.config;
    if (request.is404 || isHealth || looksAtKeysItself) return;
    request.caller = await limitLookUp({ request, reply }, () => findAnyCaller(request));
    if (!isPublic) getCaller(request);
    if (isAdmin) checkAdmin(request);
    if (takesClientId && request.caller)
      request.caller = await toActingCaller(options.ports.accounts, request.caller, request.query);
  });
  addHeavyRoutes(app);
  addNotModified(app);
  addCompression(app);
  // Sizes are limited while streaming to the store; the parser's own limit would truncate a file instead of rejecting it.
  await app.register(multipart, {
    limits: { fileSize: Number.POSITIVE_INFINITY, files: 8, fields: 100, parts: 108 },
  });
  app.removeContentTypeParser("text/plain");
  addJsonParser(app);
  addBytesParser(app);
  app.addHook("preValidation", async (request) => {
    if (request.isMultipart() && !request.routeOptions.schema?.consumes?.includes("multipart/form-data"))
      throw new ApiError("CONTENT_TYPE_UNSUPPORTED", "Send the body as application/json");
  });
  const methodsOf = new Map<string, Set<string>>();
  const optionsHeaders = new Map<string, Record<string, string>>();
  app.addHook("onRoute", (route) => {
    const methods = methodsOf.get(route.url) ?? new Set();
    for (const method of [route.method].flat()) methods.add(method);
    methodsOf.set(route.url, methods);
    if (route.config?.optionsHeaders) optionsHeaders.set(route.url, route.config.optionsHeaders);
    addClientIdParameter(route);
    addIdempotencyHeader(route);
    if (route.schema && !route.schema.hide)
      route.schema.response = {
        "4xx": apiErrorBody,
        "5xx": apiErrorBody,
        ...(route.schema.response as object | undefined),
      };
  });
  await addOpenApi(app, options.publicBaseUrl);
  addReferencePage(app, options.publicBaseUrl);
  addDashboard(app, options);
  const { ports, links, outputLinks, publicBaseUrl, config } = options;
  const api: WholeApi = { app, ports, links, outputLinks, publicBaseUrl, config, limitLookUp };
  addRoutes(api);
  await options.addOtherRoutes(api);
  addOtherMethods(app, new Map(methodsOf), optionsHeaders);
  return app;
}
