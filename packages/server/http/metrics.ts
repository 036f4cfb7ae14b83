/** Prometheus' text format, version 0.0.4: https://prometheus.io/docs/instrumenting/exposition_formats/ */

export type Sample = { labels?: Record<string, string>; value: number };
export type Metric = { name: string; help: string; type: "counter" | "gauge"; samples: Sample[] };

const BUCKETS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 60];

const escapeLabel = (value: string) =>
  value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
const toLine = (name: string, { labels = {}, value }: Sample) => {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
};
const toHead = (name: string, help: string, type: string) => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

export const renderMetrics = (metrics: readonly Metric[]) =>
  metrics.flatMap(({ name, help, type, samples }) => [
    ...toHead(name, help, type),
    ...samples.map((sample) => toLine(name, sample)),
  ]);

type Durations = { method: string; route: string; counts: number[]; sumSeconds: number; total: number };

/** Counts requests by route, status and duration. Routes are patterns, so their number does not grow with traffic. */
export function makeRequestMetrics() {
  const statuses = new Map<string, { labels: Record<string, string>; value: number }>();
  const durations = new Map<string, Durations>();
  return {
    observe(request: { method: string; route: string; statusCode: number; seconds: number }): void {
      const { method, route, seconds } = request;
      const labels = { method, route, status: String(request.statusCode) };
      const counter = statuses.get(Object.values(labels).join(" ")) ?? { labels, value: 0 };
      counter.value += 1;
      statuses.set(Object.values(labels).join(" "), counter);
      const empty = { method, route, counts: BUCKETS_SECONDS.map(() => 0), sumSeconds: 0, total: 0 };
      const duration = durations.get(`${method} ${route}`) ?? empty;
      duration.counts = duration.counts.map(
        (count, i) => count + (seconds <= (BUCKETS_SECONDS[i] ?? 0) ? 1 : 0),
      );
      duration.sumSeconds += seconds;
      duration.total += 1;
      durations.set(`${method} ${route}`, duration);
    },
    render(): string[] {
      const requests = "stemwright_http_requests_total";
      const seconds = "stemwright_http_request_duration_seconds";
      return [
        ...toHead(requests, "Requests answered.", "counter"),
        ...[...statuses.values()].map((sample) => toLine(requests, sample)),
        ...toHead(seconds, "Time from the request to the end of its answer.", "histogram"),
        ...[...durations.values()].flatMap(({ method, route, counts, sumSeconds, total }) => [
          ...BUCKETS_SECONDS.map((le, i) =>
            toLine(`${seconds}_bucket`, { labels: { method, route, le: String(le) }, value: counts[i] ?? 0 }),
          ),
          toLine(`${seconds}_bucket`, { labels: { method, route, le: "+Inf" }, value: total }),
          toLine(`${seconds}_sum`, { labels: { method, route }, value: sumSeconds }),
          toLine(`${seconds}_count`, { labels: { method, route }, value: total }),
        ]),
      ];
    },
  };
}
