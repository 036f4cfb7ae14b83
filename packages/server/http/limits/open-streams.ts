import { ApiError } from "@stemwright/contract";
import type { Caller } from "../../domain/accounts/caller.ts";
import type { KeyLookup } from "../access/authenticate.ts";

/** A stream outlives its key by at most five seconds, the query included. */
const KEY_CHECK_MS = 4000;

const makeRevokedError = () =>
  new ApiError("KEY_INVALID", "The API key was revoked, its account suspended, or its role changed");
const makeClosingError = () =>
  new ApiError("UNAVAILABLE", "The service is shutting down; try again in a moment");

/** Whether somebody may still do what was begun for that client. */
const mayActFor = (now: Pick<Caller, "clientId" | "role"> | undefined, { clientId }: Caller) =>
  now !== undefined && (now.role === "admin" || now.clientId === clientId);

export type StreamLimits = { max: number; maxPerClient: number };
type OpenStream = { caller: Caller; ending: AbortController };

/**
 * Tracks open streams and limits them per client and in total. A stream ends when its key is revoked, and one of another client when its caller is no longer
 * an administrator: all keys are checked in one query. While the database is unavailable nothing is streamed anyway.
 */
export function makeOpenStreams(options: {
  keys: Pick<KeyLookup, "listActiveCallers">;
  limits: StreamLimits;
  /** For the error message: what the streams are, and what to do if there are too many. */
  words?: { noun: string; advice: string };
  onError: (error: unknown) => void;
}) {
  const { keys, limits, onError } = options;
  const { noun, advice } = options.words ?? { noun: "event streams", advice: "fetch the Task instead" };
  const streams = new Set<OpenStream>();
  let timer: NodeJS.Timeout | undefined;

  function checkRoom({ clientId }: Caller): void {
    if (streams.size >= limits.max) throw new ApiError("UNAVAILABLE", `Too many ${noun} are open; ${advice}`);
    const own = [...streams].filter(({ caller }) => caller.clientId === clientId).length;
    if (own >= limits.maxPerClient)
      throw new ApiError(
        "STREAMS_TOO_MANY",
        `The account has ${own} ${noun} open, as many as it may; close some, or ${advice}`,
      );
  }

  async function endRevoked(): Promise<void> {
    try {
      const keyIds = new Set([...streams].map(({ caller }) => caller.keyId));
      const active = await keys.listActiveCallers([...keyIds]);
      const activeById = new Map(active.map((caller) => [caller.keyId, caller]));
      for (const { caller, ending } of streams)
        if (keyIds.has(caller.keyId) && !mayActFor(activeById.get(caller.keyId), caller))
          ending.abort(makeRevokedError());
    } catch (error) {
      onError(error);
    }
    schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    timer = streams.size === 0 ? undefined : setTimeout(endRevoked, KEY_CHECK_MS).unref();
  }

  return {
    /** Registers a stream. Its signal aborts with the reason why it must end. Throws if too many are open. */
    open(caller: Caller): { signal: AbortSignal; close(): void } {
      checkRoom(caller);
      const stream = { caller, ending: new AbortController() };
      streams.add(stream);
      if (timer === undefined) schedule();
      return { signal: stream.ending.signal, close: () => void streams.delete(stream) };
    },
    endAll(): void {
      for (const { ending } of streams) ending.abort(makeClosingError());
    },
  };
}
export type OpenStreams = ReturnType<typeof makeOpenStreams>;
