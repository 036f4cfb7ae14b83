import { setTimeout as wait } from "node:timers/promises";
import { Kysely, PostgresDialect, sql } from "kysely";
import { CONNECTION_OPTIONS, TYPE_PARSERS } from "../db/connection/open-database.ts";
import { PreparingClient } from "../db/connection/preparing-client.ts";
import type { Database } from "../db/database.ts";
import { GAP_PAYLOAD, parseWorkerIds, WAITING_CHANNEL } from "../db/tasks/waiting-tasks.ts";

/** A vanished machine is noticed after 25 s instead of hours. No effect on a unix socket. */
const KEEPALIVES = sql`select
  set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false)`;
const LISTEN = sql`listen ${sql.ref(WAITING_CHANNEL)}`;
const UNLISTEN = sql`unlisten ${sql.ref(WAITING_CHANNEL)}`;
const MIN_RECONNECT_MS = 100;
/** Shorter than a supervisor waits before it gives a Task without its lock to another worker. */
const MAX_RECONNECT_MS = 1000;
/**
 * If the server does not answer a query for this long, the connection is given up. Each worker's queue or supervisor asks something every ten seconds or so:
 * a connection that went silent is noticed after 22 s.
 */
const QUERY_TIMEOUT_MS = 10_000;

/** Who wants notifications of new work: a queue without a Task, and a supervisor for all workers that are busy. */
type Listener = "queue" | "supervisor";

export type DutySession = {
  /** Runs work on the connection, in order. Waits for a connection until aborted. */
  use<Result>(work: (db: Database) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  /**
   * Listens for new work as long as anybody wants it. PostgreSQL wakes every listening session for each notification in the database, on whatever channel;
   * busy workers would be woken for nothing several times per Task of any other.
   */
  setListening(listener: Listener, isWanted: boolean, signal?: AbortSignal): Promise<void>;
  isOpen(): boolean;
  close(): Promise<void>;
};

type Open = { db: Database; client: PreparingClient; last: Promise<unknown>; isListening: boolean };

/**
 * A worker's own connection, outside the pool: it holds the advisory locks and, if wanted, listens for new work. If it breaks it is reopened, and `onOpen`
 * runs before anything else. Failed work closes the connection too, because its locks are then unknown.
 */
export function openDutySession(options: {
  connectionString: string;
  onOpen(db: Database): Promise<void>;
  /** With the ids of the workers that are to ask, empty for all. */
  onWaiting(workerIds: readonly string[]): void;
  onGap(): void;
  onError(error: Error): void;
}): DutySession {
  const closing = new AbortController();
  const listeners = new Set<Listener>();
  let opening = Promise.withResolvers<Open>();
  opening.promise.catch(() => {});
  let open: Open | undefined;

  /** From now on work waits for another connection. The socket's own end comes later, if at all. */
  function forget(session: Open): void {
    if (open !== session) return;
    open = undefined;
    opening = Promise.withResolvers<Open>();
    opening.promise.catch(() => {});
  }

  async function openOnce(): Promise<void> {
    const client = new PreparingClient({
      connectionString: options.connectionString,
      application_name: "stemwright worker",
      query_timeout: QUERY_TIMEOUT_MS,
      types: TYPE_PARSERS,
      ...CONNECTION_OPTIONS,
    });
    const ended = new Promise<void>((resolve) => client.once("end", resolve));
    client.on("error", options.onError);
    client.on("notification", ({ payload = "" }) =>
      payload === GAP_PAYLOAD ? options.onGap() : options.onWaiting(parseWorkerIds(payload)),
    );
    const stop = () => client.breakOff();
    let session: Open | undefined;
    closing.signal.addEventListener("abort", stop);
    try {
      await client.connect();
      closing.signal.throwIfAborted();
      const db = overOne(client);
      await KEEPALIVES.execute(db);
      const isListening = listeners.size > 0;
      if (isListening) await LISTEN.execute(db);
      await options.onOpen(db);
      session = { db, client, last: Promise.resolve(), isListening };
      open = session;
      opening.resolve(session);
      // A notification may have been missed while disconnected.
      options.onWaiting([]);
      options.onGap();
      await ended;
    } finally {
      closing.signal.removeEventListener("abort", stop);
      if (session) forget(session);
      stop();
    }
  }

  async function keepOpen(): Promise<void> {
    for (let delayMs = MIN_RECONNECT_MS; !closing.signal.aborted; ) {
      const openedAtMs = performance.now();
      await openOnce().catch((error: Error) => {
        if (!closing.signal.aborted) options.onError(error);
      });
      const hasHeld = performance.now() - openedAtMs > MAX_RECONNECT_MS;
      delayMs = hasHeld ? MIN_RECONNECT_MS : Math.min(MAX_RECONNECT_MS, delayMs * 2);
      await wait(delayMs * (0.5 + Math.random() / 2), undefined, { signal: closing.signal }).catch(() => {});
    }
    opening.reject(closing.signal.reason);
  }
  const running = keepOpen();

  async function use<Result>(
    work: (db: Database, session: Open) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    const session = open ?? (await Promise.race([opening.promise, whenAborted(signal)]));
    const done = session.last.then(() => work(session.db, session));
    session.last = done.catch(() => {});
    return await done.catch((error) => {
      forget(session);
      session.client.breakOff();
      throw error;
    });
  }

  return {
    use,
    async setListening(listener, isWanted, signal) {
      if (isWanted) listeners.add(listener);
      else listeners.delete(listener);
      await use(async (db, session) => {
        const isListening = listeners.size > 0;
        if (isListening === session.isListening) return;
        await (isListening ? LISTEN : UNLISTEN).execute(db);
        session.isListening = isListening;
      }, signal);
    },
    isOpen: () => open !== undefined,
    async close() {
      closing.abort(new Error("the worker is shutting down"));
      await running;
    },
  };
}

function whenAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted) reject(signal.reason);
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** The query builder over one connection. */
function overOne(client: PreparingClient): Database {
  const lent = Object.assign(client, { release() {} });
  const pool = { options: {}, connect: async () => lent, end: async () => {} };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}
