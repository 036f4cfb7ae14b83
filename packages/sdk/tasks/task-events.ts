import type { Target, Task } from "@stemwright/contract";
import { ConnectionError } from "../errors.ts";
import { readEvents, type ServerSentEvent, type StreamState } from "../http/event-stream.ts";
import { route } from "../http/route.ts";
import { sleep } from "../http/sleep.ts";
import { toChunks } from "../http/stream-chunks.ts";
import type { Transport } from "../http/transport.ts";
import type { RequestOptions } from "../options.ts";

/** The service sends something at least every 15 seconds. */
const IDLE_LIMIT_MS = 45_000;
const RECONNECT_MS = 2000;

/** `task` (finished) and `deleted` are the last event of a stream. */
export type TaskEvent =
  | { type: "target"; target: Target }
  | { type: "task"; task: Task }
  | { type: "deleted"; id: string };

function findTaskEvent({ event, data }: ServerSentEvent): TaskEvent | undefined {
  if (event === "target") return { type: "target", target: JSON.parse(data) as Target };
  if (event === "task") return { type: "task", task: JSON.parse(data) as Task };
  if (event === "deleted") return { type: "deleted", id: (JSON.parse(data) as { id: string }).id };
  return undefined;
}

/** Events of one connection. 204 means that the Task is finished and Last-Event-ID was its last event. */
async function* readConnection(
  transport: Transport,
  id: string,
  { state, options }: { state: StreamState; options: RequestOptions },
): AsyncGenerator<TaskEvent> {
  const headers: Record<string, string> = { accept: "text/event-stream" };
  if (state.lastEventId !== "") headers["last-event-id"] = state.lastEventId;
  const response = await transport.open(
    { method: "GET", path: route`/tasks/${id}/events`, headers },
    options,
  );
  if (response.status === 204) {
    yield { type: "task", task: await transport.load({ method: "GET", path: route`/tasks/${id}` }, options) };
    return;
  }
  if (!response.body) throw new ConnectionError("The response body cannot be read as a stream");
  try {
    for await (const event of readEvents(toChunks(response.body, IDLE_LIMIT_MS), state)) {
      const known = findTaskEvent(event);
      if (known) yield known;
    }
  } catch (error) {
    options.signal?.throwIfAborted();
    throw new ConnectionError("Event stream interrupted", { cause: error });
  }
}

/** Events of a Task until it is finished or deleted; reconnects with Last-Event-ID. */
export async function* followTask(
  transport: Transport,
  id: string,
  options: RequestOptions = {},
): AsyncGenerator<TaskEvent, void, undefined> {
  const { signal, maxRetries = transport.maxRetries } = options;
  const state: StreamState = { lastEventId: "", reconnectMs: RECONNECT_MS };
  for (let failures = 0; ; failures += 1) {
    let cause: unknown;
    try {
      for await (const event of readConnection(transport, id, { state, options })) {
        failures = 0;
        yield event;
        if (event.type !== "target") return;
      }
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      cause = error;
    }
    if (failures >= maxRetries) throw new ConnectionError(`Event stream of Task ${id} lost`, { cause });
    await sleep(state.reconnectMs * (0.5 + 0.5 * Math.random()), signal);
  }
}
