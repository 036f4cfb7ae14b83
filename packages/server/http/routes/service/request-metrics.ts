import { Counter, Histogram, Registry } from "prom-client";

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

/** Counts requests by route, status and duration. Routes are patterns, so their number does not grow with traffic. */
export function makeRequestMetrics() {
  const registry = new Registry();
  const requests = new Counter({
    name: "stemwright_http_requests_total",
    help: "HTTP requests.",
    labelNames: ["method", "route", "status"],
    registers: [registry],
  });
  const durations = new Histogram({
    name: "stemwright_http_request_duration_seconds",
    help: "Duration of HTTP requests, to the end of the response.",
    labelNames: ["method", "route"],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  return {
    observe(request: { method: string; route: string; statusCode: number; seconds: number }): void {
      const { method, route, statusCode, seconds } = request;
      requests.inc({ method, route, status: statusCode });
      durations.observe({ method, route }, seconds);
    },
    render: () => registry.metrics(),
  };
}
