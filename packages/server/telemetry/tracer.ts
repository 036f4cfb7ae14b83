import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";

/** https://opentelemetry.io/docs/specs/otlp/#otlphttp: JSON, hex ids, times in nanoseconds as strings. */
const KINDS = { server: 2, consumer: 5 } as const;
const FAILED = 2;
const MAX_BATCH = 512;
const MAX_WAITING = 4096;
const SEND_MS = 5000;
const SEND_LIMIT_MS = 10_000;

type Attributes = Record<string, string | number | boolean | undefined>;
type Place = { traceId: string; parentId?: string | undefined };
type Span = Place & {
  name: string;
  kind: keyof typeof KINDS;
  startMs: number;
  endMs: number;
  attributes?: Attributes;
  /** The error message. */
  error?: string | undefined;
};

export interface Tracer {
  /** Records a finished span. */
  record(span: Span): void;
  /** Records a span around some work. */
  during<Result>(
    span: Omit<Span, "startMs" | "endMs" | "error">,
    work: () => Promise<Result>,
  ): Promise<Result>;
  close(): Promise<void>;
}

/** All runs of a Task share a trace, on whichever worker: its id is derived from the Task's. */
export const toTaskTrace = (taskId: string) => createHash("sha256").update(taskId).digest("hex").slice(0, 32);

/** The parent span from the request's headers (https://www.w3.org/TR/trace-context/), or a new trace. */
export function readTraceParent(header: unknown): Place {
  const given = /^00-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(String(header));
  const [, traceId = randomBytes(16).toString("hex"), parentId] = given ?? [];
  return { traceId, parentId };
}

const toValue = (value: string | number | boolean) =>
  typeof value === "string"
    ? { stringValue: value }
    : typeof value === "number"
      ? { doubleValue: value }
      : { boolValue: value };
const toAttributes = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: toValue(value) }],
  );
const toNanoseconds = (ms: number) => `${BigInt(Math.round(ms * 1000))}000`;

const toOtlp = ({ name, kind, traceId, parentId, startMs, endMs, attributes = {}, error }: Span) => ({
  traceId,
  spanId: randomBytes(8).toString("hex"),
  ...(parentId === undefined ? {} : { parentSpanId: parentId }),
  name,
  kind: KINDS[kind],
  startTimeUnixNano: toNanoseconds(startMs),
  endTimeUnixNano: toNanoseconds(endMs),
  attributes: toAttributes(attributes),
  status: error === undefined ? {} : { code: FAILED, message: error },
});

/**
 * Sends spans to an OpenTelemetry collector, in batches every few seconds. Tracing never blocks anything: batches the collector rejects are dropped, and
 * the log says so.
 */
export function openTracer(options: {
  /** As in OTEL_EXPORTER_OTLP_ENDPOINT: without the path. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  resource: Attributes;
  onDropped(error: unknown, spans: number): void;
}): Tracer {
  const resource = { attributes: toAttributes({ ...options.resource, "host.name": hostname() }) };
  let waiting: ReturnType<typeof toOtlp>[] = [];
  let sending = Promise.resolve();

  async function send(spans: typeof waiting): Promise<void> {
    const scopeSpans = [{ scope: { name: "stemwright" }, spans }];
    try {
      const response = await fetch(`${options.endpoint}/v1/traces`, {
        method: "POST",
        headers: { "content-type": "application/json", ...options.headers },
        body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
        signal: AbortSignal.timeout(SEND_LIMIT_MS),
      });
      await response.body?.cancel();
      if (!response.ok) throw new Error(`the collector answered ${response.status}`);
    } catch (error) {
      options.onDropped(error, spans.length);
    }
  }
  function sendWaiting(): Promise<void> {
    const batch = waiting.slice(0, MAX_BATCH);
    waiting = waiting.slice(MAX_BATCH);
    if (batch.length > 0) sending = sending.then(() => send(batch));
    return sending;
  }
  const add = (span: Span) => {
    if (waiting.length < MAX_WAITING) waiting.push(toOtlp(span));
  };
  const timer = setInterval(() => void sendWaiting(), SEND_MS);
  timer.unref();

  return {
    record: add,
    async during(span, work) {
      const startMs = Date.now();
      let error: string | undefined;
      try {
        return await work();
      } catch (failure) {
        error = failure instanceof Error ? failure.name : "failed";
        throw failure;
      } finally {
        add({ ...span, startMs, endMs: Date.now(), error });
      }
    },
    async close() {
      clearInterval(timer);
      while (waiting.length > 0) await sendWaiting();
      await sending;
    },
  };
}
