export type ServerSentEvent = { event: string; data: string };

/** What a stream has told so far that outlives it: where to go on, and how soon. */
export type StreamState = { lastEventId: string; reconnectMs: number };

/** The lines of a stream of bytes, however it is cut; a line may end in CR, LF or both. */
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
 * Server-sent events as https://html.spec.whatwg.org/multipage/server-sent-events.html reads them. Not by EventSource,
 * which can't send a key. What the stream breaks off in the middle of is left out.
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
