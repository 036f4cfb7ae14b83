import { finished, Readable } from "node:stream";
import { idParams, lastEventHeaders } from "@stemwright/contract";
import { z } from "zod";
import { getCaller } from "../../access/authenticate.ts";
import type { Api } from "../../api.ts";
import { makeOpenStreams } from "../../limits/open-streams.ts";
import { LAST_EVENT_IDS, makeTaskEvents } from "./make-task-events.ts";
import { getTask } from "./task-routes.ts";

export function addTaskEventRoutes({
  app,
  ports,
  outputLinks: links,
  config,
}: Api<"feed" | "keys" | "tasks">): void {
  const streams = makeOpenStreams({
    keys: ports.keys,
    limits: config.eventStreams,
    onError: (error) => app.log.warn({ err: error }, "keys of event streams not checked"),
  });
  app.addHook("preClose", async () => streams.endAll());

  app.get(
    "/tasks/:id/events",
    {
      schema: {
        tags: ["Tasks"],
        summary: "Stream Task events (server-sent events)",
        description:
          "`target` with a target, for each at first and whenever one changes; `task` with the whole Task when it is complete, then the stream ends; `deleted` when the Task was deleted.",
        params: idParams,
        headers: lastEventHeaders,
        response: {
          200: { content: { "text/event-stream": { schema: z.unknown().meta({ type: "string" }) } } },
          204: z.null().meta({
            description: "`Last-Event-ID` is that of the last event: no further events",
          }),
        },
      },
    },
    async (request, reply) => {
      const { "last-event-id": lastEventId } = request.headers;
      const caller = getCaller(request);
      const task = await getTask(ports, caller, request.params.id).catch((error: unknown) => {
        if (lastEventId !== LAST_EVENT_IDS.deleted) throw error;
      });
      // A 204 stops an EventSource; after any other end it would reconnect forever.
      const isAllTold = task?.completedAt !== null && lastEventId === LAST_EVENT_IDS.complete;
      if (!task || isAllTold) return reply.code(204).send(null);
      const stream = request.method === "HEAD" ? undefined : streams.open(caller);
      void reply
        .header("content-type", "text/event-stream; charset=utf-8")
        .header("cache-control", "no-store, no-transform")
        // An open keep-alive connection would delay shutdown.
        .header("connection", "close")
        // Asks nginx and compatible proxies not to buffer events.
        .header("x-accel-buffering", "no");
      if (!stream) return reply.send(Readable.from([]));
      const gone = new AbortController();
      // The client may have left while the Task was read; `close` has already fired then.
      finished(reply.raw, () => {
        stream.close();
        gone.abort();
      });
      const signal = AbortSignal.any([stream.signal, gone.signal]);
      const events = makeTaskEvents({ task, feed: ports.feed, links, signal, lastEventId });
      return reply.send(Readable.from(events, { objectMode: false }));
    },
  );
}
