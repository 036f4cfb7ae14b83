import { timingSafeEqual } from "node:crypto";
import { ApiError } from "@stemwright/contract";
import type { FastifyRequest } from "fastify";
import { Counter, Gauge, Registry } from "prom-client";
import { z } from "zod";
import { hashKey } from "../../../domain/accounts/key-secrets.ts";
import { freshWithin } from "../../../domain/fresh-within.ts";
import type { Api, Operation } from "../../api.ts";
import { makeRequestMetrics } from "./request-metrics.ts";

/** Counting a very long queue takes a while; if it takes longer than this, a scrape gets the previous counts. */
const COUNTS_LIMIT_MS = 25;

/** Collectors send bearer tokens. Hashes are compared, so that timing reveals nothing of the token. */
function isMetricsToken(request: FastifyRequest, token: string | undefined): boolean {
  const given = /^Bearer (.+)$/i.exec(request.headers.authorization ?? "")?.[1];
  return token !== undefined && given !== undefined && timingSafeEqual(hashKey(given), hashKey(token));
}

function refuseUnlessAdmin({ caller, headers }: FastifyRequest): void {
  if (caller?.role === "admin") return;
  if (caller)
    throw new ApiError("ADMIN_REQUIRED", "Metrics are for keys of the role admin and for METRICS_TOKEN");
  if (headers.authorization !== undefined)
    throw new ApiError("KEY_INVALID", "The bearer token is not the METRICS_TOKEN of this service");
  throw new ApiError(
    "KEY_MISSING",
    "Send an administrator's key in the x-api-key header, or METRICS_TOKEN as a bearer token",
  );
}

async function readCounts(operation: Operation) {
  const [targets, queues, workers] = await Promise.all([
    operation.countTargets(),
    operation.readQueues(),
    operation.listWorkers(),
  ]);
  return { targets, queues, workers };
}

type Sample = { labels?: Record<string, string>; value: number };

/** Names that end in `_total` are counters. */
function addMetric(
  registry: Registry,
  { name, help, samples }: { name: string; help: string; samples: Sample[] },
): void {
  const labelNames = Object.keys(samples[0]?.labels ?? {});
  const options = { name: `stemwright_${name}`, help, labelNames, registers: [registry] };
  const metric = name.endsWith("_total") ? new Counter(options) : new Gauge(options);
  for (const { labels = {}, value } of samples) metric.inc(labels, value);
}

/** A new registry per scrape: workers and queues come and go, and stale labels must not stay. */
function renderCounts({ targets, queues, workers }: Awaited<ReturnType<typeof readCounts>>): Promise<string> {
  const registry = new Registry();
  const add = (name: string, help: string, samples: Sample[]) => addMetric(registry, { name, help, samples });
  const alive = workers.filter(({ isAlive }) => isAlive);
  const perWorker = (read: (worker: (typeof alive)[number]) => number) =>
    alive.map((worker) => ({ labels: { worker: worker.id, host: worker.host }, value: read(worker) }));
  add(
    "targets",
    "Targets by state: those processing now, and all that have ended.",
    targets.map(({ status, targets: value }) => ({ labels: { state: status }, value })),
  );
  add(
    "tasks",
    "Tasks with at least one target of the state, counted as targets are.",
    targets.map(({ status, tasks: value }) => ({ labels: { state: status }, value })),
  );
  add(
    "queue_jobs",
    "Tasks by queue and state.",
    queues.flatMap(({ name, waiting, active, retrying, failed }) =>
      Object.entries({ waiting, active, retrying, failed }).map(([state, value]) => ({
        labels: { queue: name, state },
        value,
      })),
    ),
  );
  add(
    "queue_oldest_waiting_seconds",
    "Age of the oldest waiting Task; 0 if there is none.",
    queues.map(({ name, oldestWaitingAt }) => ({
      labels: { queue: name },
      value: oldestWaitingAt === null ? 0 : (Date.now() - Date.parse(oldestWaitingAt)) / 1000,
    })),
  );
  add(
    "queue_waiting_work_seconds",
    "Waiting work, in seconds of one worker at the measured speed of the live ones.",
    queues.map(({ name, waitingWorkSeconds }) => ({ labels: { queue: name }, value: waitingWorkSeconds })),
  );
  add("workers_alive", "Workers with a recent heartbeat.", [{ value: alive.length }]);
  add("workers_at_fault", "Live workers that take no Task now: a full disk, or no store.", [
    { value: alive.filter(({ fault }) => fault !== null).length },
  ]);
  add(
    "worker_disk_free_bytes",
    "Free on the fullest disk of a worker.",
    alive.flatMap(({ id, host, diskFreeBytes }) =>
      diskFreeBytes === null ? [] : [{ labels: { worker: id, host }, value: diskFreeBytes }],
    ),
  );
  add(
    "worker_memory_bytes",
    "Resident memory of a worker's processes.",
    perWorker((w) => w.memoryBytes),
  );
  add(
    "engine_seconds_total",
    "Seconds the engine has run.",
    perWorker((w) => w.engineSeconds),
  );
  add(
    "engine_audio_seconds_total",
    "Seconds of audio processed.",
    perWorker((w) => w.audioSeconds),
  );
  add("process_memory_bytes", "Resident memory of this process.", [{ value: process.memoryUsage.rss() }]);
  return registry.metrics();
}

/** For Prometheus. Only for administrators and holders of METRICS_TOKEN, since it shows each client's usage. */
export function addMetricsRoute({ app, ports, config }: Api<"operation">): void {
  const requests = makeRequestMetrics();
  const loadCounts = freshWithin(COUNTS_LIMIT_MS, () => readCounts(ports.operation));
  app.addHook("onResponse", async ({ method, routeOptions }, { statusCode, elapsedTime }) =>
    requests.observe({ method, route: routeOptions.url ?? "none", statusCode, seconds: elapsedTime / 1000 }),
  );
  app.get(
    "/metrics",
    {
      config: { isPublic: true, takesToken: true },
      schema: {
        tags: ["Health"],
        summary: "Metrics in Prometheus' text format",
        description: "For keys of the role `admin`, and with `Authorization: Bearer <METRICS_TOKEN>`.",
        security: [{ apiKey: [] }, { metricsToken: [] }],
        response: { 200: { description: "The metrics", content: { "text/plain": { schema: z.string() } } } },
      },
    },
    async (request, reply) => {
      if (!isMetricsToken(request, config.metricsToken)) refuseUnlessAdmin(request);
      const parts = [await requests.render(), await renderCounts(await loadCounts())];
      return reply.type(Registry.PROMETHEUS_CONTENT_TYPE).send(parts.join("\n"));
    },
  );
}
