import { finished } from "node:stream";
import { ApiError, type TargetRequest } from "@stemwright/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { getCaller } from "../http/access/authenticate.ts";
import type { WholeApi } from "../http/api.ts";
import type { OpenStreams } from "../http/limits/open-streams.ts";
import { onceAfter } from "../http/requests/once.ts";
import { discardUpload } from "../http/uploads/keep-asset.ts";
import type { ReceivedUpload } from "../http/uploads/receive-upload.ts";
import { runWaitingTask, type WaitingResult } from "./run-waiting-task.ts";

/** Shared by both interfaces. */
export type CompatApi = WholeApi & { waits: OpenStreams };

type Exchange = { request: FastifyRequest; reply: FastifyReply };

/** Keep-alive interval of an idle connection, so that a vanished client is noticed. */
const KEEP_ALIVE_MS = 30_000;

/** While a request waits: a signal with the reason why it should stop. */
function openWait({ waits }: CompatApi, { request, reply }: Exchange) {
  const wait = waits.open(getCaller(request));
  const gone = new AbortController();
  finished(reply.raw, () => {
    wait.close();
    gone.abort(new ApiError("TASK_CANCELLED", "The client closed the connection"));
  });
  const { socket } = request.raw;
  // Nothing is sent while the Task runs. The limit is set again before the connection's next request.
  socket.setTimeout(0);
  socket.setKeepAlive(true, KEEP_ALIVE_MS);
  return AbortSignal.any([wait.signal, gone.signal]);
}

/** Runs one target on an uploaded file, responds with its output, and deletes both. */
export async function answerUpload(
  api: CompatApi,
  exchange: Exchange,
  work: { received: ReceivedUpload; target: TargetRequest; onAccepted?: () => void },
): Promise<WaitingResult> {
  const { request } = exchange;
  const { stored, sha256 } = work.received;
  try {
    const signal = openWait(api, exchange);
    // The upload is complete, so its place is free for the next one.
    request.leave?.();
    return await onceAfter(api.ports, exchange, {
      content: { target: work.target, sha256 },
      prepare: () =>
        runWaitingTask(api, getCaller(request), {
          asset: stored,
          target: work.target,
          signal,
          log: request.log,
          onAccepted: work.onAccepted,
        }),
      write: async (_stores, result) => result,
    });
  } finally {
    // Removes the file of a repetition, or of a request rejected before it became an asset.
    await discardUpload(api.ports, stored.id).catch((error: unknown) =>
      request.log.warn({ err: error }, "failed to remove a refused upload, left to the sweep"),
    );
  }
}
