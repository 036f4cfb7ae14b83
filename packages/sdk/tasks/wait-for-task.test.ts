import type { Target } from "@stemwright/contract";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  answerError,
  answerJson,
  makeFakeFetch,
  type SentRequest,
} from "../../../test/support/fake-fetch.ts";
import { settle, useFakeTime } from "../../../test/support/fake-time.ts";
import { sampleTarget, sampleTask } from "../../../test/support/sample-task.ts";
import { AuthenticationError, NotFoundError, ServerError, Stemwright, type TaskEvent } from "../index.ts";

const target = (fields: Partial<Target> = {}, id = "g1") => sampleTarget({ id, ...fields });
const waiting = sampleTask([target({ queuePosition: 2 }), target({ queuePosition: 2 }, "g2")]);
const done = sampleTask(
  [target({ status: "completed" }), target({ status: "completed" }, "g2")],
  "2026-01-31T09:31:00.000Z",
);

const event = (name: string, data: unknown, id?: string) =>
  `${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
/** An event stream that ends, breaks, or stays open without data. */
function answerEvents(text: string, end: "close" | "break" | "stall" = "close") {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(text)),
    pull(controller) {
      if (end === "close") controller.close();
      if (end === "break") controller.error(new TypeError("terminated"));
    },
  });
  return () => new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const makeClient = ({ fetch }: { fetch: typeof globalThis.fetch }) =>
  new Stemwright({ baseUrl: "https://stems.example", fetch });
const summarize = ({ url, headers }: SentRequest) => [
  url.slice("https://stems.example".length),
  headers.get("last-event-id"),
];

beforeEach(useFakeTime);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("waiting for a Task", () => {
  it("[T13] gets progress and queue position from its events", async () => {
    const fake = makeFakeFetch(
      answerEvents(
        "retry: 2000\n\n" +
          event("target", target({ queuePosition: 1 })) +
          event("target", target({ queuePosition: 0, progress: 0.5, etaSeconds: 20 })) +
          ": keep-alive\n\n" +
          event("target", target({ queuePosition: 0, progress: 0.25, etaSeconds: 30 }, "g2")) +
          event("target", target({ status: "completed" })) +
          event("task", done),
      ),
    );
    const progress: unknown[] = [];
    const positions: number[] = [];
    const { value } = await settle(
      makeClient(fake).tasks.wait(waiting, {
        onProgress: ({ progress: part, etaSeconds, task }) => progress.push([part, etaSeconds, task.id]),
        onQueueUpdate: ({ position }) => positions.push(position),
      }),
    );
    expect(value).toEqual(done);
    expect(positions).toEqual([2, 1, 0]);
    expect(progress).toEqual([
      [0, undefined, "t1"],
      [0.25, 20, "t1"],
      [0.375, 30, "t1"],
      [0.625, 30, "t1"],
      [1, undefined, "t1"],
    ]);
    expect(fake.requests.map(summarize)).toEqual([["/tasks/t1/events", null]]);
    expect(fake.requests[0]?.headers.get("accept")).toBe("text/event-stream");
  });

  it("reopens a stream that breaks, ends or stalls, after the last event", async () => {
    const fake = makeFakeFetch(
      answerEvents(event("target", target({ progress: 0.1 }), "a1"), "break"),
      answerEvents(event("target", target({ progress: 0.2 }), "a2"), "close"),
      answerEvents(event("target", target({ progress: 0.3 }), "a3"), "stall"),
      answerEvents(event("task", done, "a4")),
    );
    const { value, waitedMs } = await settle(makeClient(fake).tasks.wait(waiting));
    expect(value).toEqual(done);
    expect(fake.requests.map(summarize)).toEqual([
      ["/tasks/t1/events", null],
      ["/tasks/t1/events", "a1"],
      ["/tasks/t1/events", "a2"],
      ["/tasks/t1/events", "a3"],
    ]);
    expect(waitedMs).toBeGreaterThanOrEqual(45_000);
    expect(waitedMs).toBeLessThan(55_000);
  });

  it("fetches the Task when there are no more events (204)", async () => {
    const fake = makeFakeFetch(
      answerEvents(event("target", target(), "a1"), "break"),
      new Response(null, { status: 204 }),
      answerJson(done),
    );
    expect((await settle(makeClient(fake).tasks.wait(waiting))).value).toEqual(done);
    expect(fake.requests.map(summarize)).toEqual([
      ["/tasks/t1/events", null],
      ["/tasks/t1/events", "a1"],
      ["/tasks/t1", null],
    ]);
  });

  it.each([
    ["are refused", answerError(400)],
    ["have no body that can be read", new Response(null)],
  ])("polls where the events %s", async (_name, refusal) => {
    let polls = 0;
    const fake = makeFakeFetch(({ url }) => {
      if (url.endsWith("/events")) return refusal.clone();
      polls += 1;
      return answerJson(polls === 3 ? done : sampleTask([target({ progress: polls / 10 })]));
    });
    const progress: number[] = [];
    const { value } = await settle(
      makeClient(fake).tasks.wait(waiting, { onProgress: (update) => progress.push(update.progress) }),
    );
    expect(value).toEqual(done);
    expect(progress).toEqual([0, 0.1, 0.2, 1]);
  });

  it("keeps polling while the service is unavailable for a minute", async () => {
    const startMs = Date.now();
    const fake = makeFakeFetch(() => {
      if (Date.now() - startMs < 60_000) throw new TypeError("fetch failed");
      return answerJson(done);
    });
    expect((await settle(makeClient(fake).tasks.wait(waiting))).value).toEqual(done);
  });

  it("fails eventually if the service stays unavailable", async () => {
    const fake = makeFakeFetch(answerError(503));
    expect((await settle(makeClient(fake).tasks.wait(waiting))).error).toBeInstanceOf(ServerError);
  });

  it("fails at once if the key is refused or the Task does not exist", async () => {
    const refused = makeFakeFetch(answerError(401));
    expect((await settle(makeClient(refused).tasks.wait(waiting))).error).toBeInstanceOf(AuthenticationError);
    expect(refused.requests).toHaveLength(2);
    const deleted = makeFakeFetch(answerEvents(event("deleted", { id: "t1" })));
    const { error } = await settle(makeClient(deleted).tasks.wait(waiting));
    expect(error).toBeInstanceOf(NotFoundError);
    expect((error as Error).message).toBe("Task t1 was deleted");
  });

  it("sends no request for a finished Task, and fetches one given by id", async () => {
    const fake = makeFakeFetch(answerJson(done));
    expect(await makeClient(fake).tasks.wait(done)).toEqual(done);
    expect(fake.requests).toHaveLength(0);
    expect(await makeClient(fake).tasks.wait("t1")).toEqual(done);
    expect(fake.requests.map(summarize)).toEqual([["/tasks/t1", null]]);
  });

  it("propagates errors of callbacks, and closes the stream", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (controller) =>
        controller.enqueue(new TextEncoder().encode(event("target", target({ progress: 0.5 })))),
      cancel: () => {
        isCancelled = true;
      },
    });
    const fake = makeFakeFetch(() => new Response(body));
    const { error } = await settle(
      makeClient(fake).tasks.wait(waiting, {
        onProgress: ({ progress }) => {
          if (progress > 0) throw new Error("mine");
        },
      }),
    );
    expect(error).toEqual(new Error("mine"));
    await vi.waitFor(() => expect(isCancelled).toBe(true));
  });

  it("stops when its signal aborts, without cancelling the Task", async () => {
    const controller = new AbortController();
    const fake = makeFakeFetch(
      ({ init: { signal } }) =>
        new Response(
          new ReadableStream({
            start: (stream) => signal?.addEventListener("abort", () => stream.error(signal.reason)),
          }),
        ),
    );
    const wait = makeClient(fake).tasks.wait(waiting, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error("enough")), 1000);
    const { error, waitedMs } = await settle(wait);
    expect(error).toEqual(new Error("enough"));
    expect(waitedMs).toBe(1000);
    expect(fake.requests).toHaveLength(1);
  });
});

describe("the events of a Task", () => {
  it("are yielded as they arrive, and end with the Task; unknown ones are skipped", async () => {
    const fake = makeFakeFetch(
      answerEvents(
        event("target", target()) + event("newer", {}) + event("task", done) + event("target", {}),
      ),
    );
    const events: TaskEvent[] = [];
    for await (const told of makeClient(fake).tasks.events("t1")) events.push(told);
    expect(events).toEqual([
      { type: "target", target: target() },
      { type: "task", task: done },
    ]);
  });
});
