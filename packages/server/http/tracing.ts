import type { FastifyInstance } from "fastify";
import { readTraceParent, type Tracer } from "../telemetry/tracer.ts";

/** Records a span per request, in the caller's trace if it sends one. Of the URL only the route is recorded. */
export function addTracing(app: FastifyInstance, tracer: Tracer): void {
  app.addHook("onResponse", async (request, reply) => {
    const { method, routeOptions, headers, id } = request;
    if (routeOptions.config.isHealth) return;
    const { statusCode, elapsedTime } = reply;
    const endMs = Date.now();
    const route = routeOptions.url ?? "none";
    tracer.record({
      ...readTraceParent(headers.traceparent),
      name: `${method} ${route}`,
      kind: "server",
      startMs: endMs - elapsedTime,
      endMs,
      attributes: {
        "http.request.method": method,
        "http.route": route,
        "http.response.status_code": statusCode,
        "stemwright.request_id": id,
      },
      ...(statusCode >= 500 ? { error: String(statusCode) } : {}),
    });
  });
}
