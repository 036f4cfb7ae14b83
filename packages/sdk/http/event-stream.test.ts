import { describe, expect, it } from "vitest";
import { readEvents, type ServerSentEvent } from "./event-stream.ts";

async function readAll(...chunks: (string | Uint8Array)[]) {
  const state = { lastEventId: "", reconnectMs: 2000 };
  const events: ServerSentEvent[] = [];
  const bytes = (async function* () {
    for (const chunk of chunks) yield typeof chunk === "string" ? new TextEncoder().encode(chunk) : chunk;
  })();
  for await (const event of readEvents(bytes, state)) events.push(event);
  return { events, state };
}

describe("server-sent events", () => {
  it("are parsed with name, data, id and reconnection time", async () => {
    const { events, state } = await readAll(
      'retry: 3000\n\n: keep-alive\n\nid: 7\nevent: target\ndata: {"a":1}\n\n',
    );
    expect(events).toEqual([{ event: "target", data: '{"a":1}' }]);
    expect(state).toEqual({ lastEventId: "7", reconnectMs: 3000 });
  });

  it("are the same for any chunking and line ending", async () => {
    const text = "event: a\r\ndata: é\u2028\r\ndata:  two\r\n\r\nevent: b\rdata\r\r\ndata:x\n\n";
    const expected = [
      { event: "a", data: "é\u2028\n two" },
      { event: "b", data: "" },
      { event: "message", data: "x" },
    ];
    expect((await readAll(text)).events).toEqual(expected);
    const bytes = new TextEncoder().encode(text);
    for (const size of [1, 2, 3, 5]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
        bytes.slice(index * size, (index + 1) * size),
      );
      expect((await readAll(...pieces)).events, `in pieces of ${size}`).toEqual(expected);
    }
  });

  it("that are incomplete are dropped", async () => {
    expect((await readAll("data: whole\n\nevent: task\ndata: hal")).events).toEqual([
      { event: "message", data: "whole" },
    ]);
  });
});
