import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startTestApi } from "../../../test/support/test-api.ts";
import { finishAll } from "../../../test/support/test-worker.ts";
import { openWorkerContext } from "../../../test/support/worker-context.ts";
import { openTracer, toTaskTrace } from "./tracer.ts";

type Sent = {
  resourceSpans: {
    resource: { attributes: { key: string; value: unknown }[] };
    scopeSpans: { spans: Record<string, unknown>[] }[];
  }[];
};
const sent: Sent[] = [];
const keys: unknown[] = [];
let status = 200;
let endpoint: string;
const collector = createServer(async (request, response) => {
  sent.push((await json(request)) as Sent);
  keys.push(request.headers.authorization);
  response.writeHead(request.url === "/v1/traces" ? status : 404).end("{}");
});
beforeAll(async () => {
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => collector.close(resolve)));

const takeSpans = () =>
  sent
    .splice(0)
    .flatMap(({ resourceSpans }) => resourceSpans.flatMap((one) => one.scopeSpans[0]?.spans ?? []));

it("[G17] requests are sent to the collector as spans, in their callers' traces, named by route", async () => {
  const api = await startTestApi({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x",
  });
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const traceparent = `00-${traceId}-b7ad6b7169203331-01`;
  const response = await api.call("/tasks/some-task", { headers: { traceparent } });
  await api.call("/health/live");
  await api.close();
  const name = sent[0]?.resourceSpans[0]?.resource.attributes.find(({ key }) => key === "service.name");
  expect(name?.value).toEqual({ stringValue: "stemwright-api" });
  expect(keys[0]).toBe("Bearer x");
  const spans = takeSpans().filter(({ name }) => name !== "GET /openapi.json");
  expect(spans).toEqual([
    expect.objectContaining({
      name: "GET /tasks/:id",
      kind: 2,
      traceId,
      parentSpanId: "b7ad6b7169203331",
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      startTimeUnixNano: expect.stringMatching(/^\d{19}$/),
      status: {},
    }),
  ]);
  const attributes = JSON.stringify(spans[0]?.attributes);
  expect(attributes).toContain(response.headers.get("x-request-id"));
  expect(attributes).not.toContain("some-task");
});

it("[G17] [Q19] runs of a Task are spans of one trace; a stopping worker says so", async () => {
  const context = await openWorkerContext();
  await context.addClient();
  const tracer = openTracer({ endpoint, headers: {}, resource: {}, onDropped: () => {} });
  const worker = await context.startWorker(finishAll, { tracer });
  expect(worker.findFault()).toBeUndefined();
  const id = await context.createTask(["vocals"]);
  await context.waitForEnd(id);
  await worker.close();
  expect(worker.findFault()).toBe("the worker is shutting down");
  await tracer.close();
  expect(takeSpans()).toEqual([
    expect.objectContaining({ name: "run Task", kind: 5, traceId: toTaskTrace(id) }),
  ]);
  await context.close();
});

it("[G17] failed work is marked as failed, and batches the collector rejects are dropped", async () => {
  const dropped: [unknown, number][] = [];
  const tracer = openTracer({
    ...{ endpoint, headers: {}, resource: {} },
    onDropped: (error, spans) => dropped.push([error, spans]),
  });
  const traceId = toTaskTrace("a");
  const failing = tracer.during({ traceId, name: "x", kind: "consumer" }, () =>
    Promise.reject(new TypeError()),
  );
  await expect(failing).rejects.toThrow(TypeError);
  status = 503;
  await tracer.close();
  status = 200;
  expect(takeSpans()).toEqual([expect.objectContaining({ status: { code: 2, message: "TypeError" } })]);
  expect(dropped).toEqual([[expect.objectContaining({ message: "the collector answered 503" }), 1]]);
});
