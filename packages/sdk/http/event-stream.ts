export type ServerSentEvent = { event: string; data: string };

/** State that survives reconnects. */
export type StreamState = { lastEventId: string; reconnectMs: number };

/** Splits a byte stream into lines ending in CR, LF or CRLF, across chunk boundaries. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/);
    rest = lines.pop() ?? "";
    yield* lines;
  }
}

/**
 * Parses server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). EventSource is no option: it
 * cannot send x-api-key. An incomplete event at the end of the stream is dropped.
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array>,
  state: StreamState,
): AsyncGenerator<ServerSentEvent> {
  let event = "";
  let data: string[] = [];
  for await (const line of readLines(chunks)) {
    if (line === "") {
      if (data.length > 0) yield { event: event || "message", data: data.join("\n") };
      event = "";
      data = [];
      continue;
    }
    const [, field, value = ""] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (field === "event") event = value;
    else if (field === "data") data.push(value);
    else if (field === "id" && !value.includes("\0")) state.lastEventId = value;
    else if (field === "retry" && /^\d+$/.test(value)) state.reconnectMs = Number(value);
  }
}
