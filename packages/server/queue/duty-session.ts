import type { Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { Kysely, PostgresDialect, sql } from "kysely";
import type pg from "pg";
import { CONNECTION_OPTIONS, TYPE_PARSERS } from "../db/connection/open-database.ts";
import { PreparingClient } from "../db/connection/preparing-client.ts";
import type { Database } from "../db/database.ts";
import { STRETCH_PAYLOAD, WAITING_CHANNEL } from "../db/tasks/waiting-tasks.ts";

/** A vanished machine is noticed after 25 s instead of hours. No effect on a unix socket. */
const KEEPALIVES = sql`select
  set_config('tcp_keepalives_idle', '10', false),
  set_config('tcp_keepalives_interval', '5', false),
  set_config('tcp_keepalives_count', '3', false)`;
const RECONNECT_MIN_MS = 100;
/** Shorter than a supervisor waits before it gives a Task without its lock to another worker. */
const RECONNECT_MAX_MS = 1000;
/** If the server does not answer a query for this long, the connection is given up. */
const QUERY_TIMEOUT_MS = 30_000;

export type DutySession = {
  /** Runs work on the connection, in order. Waits for a connection until aborted. */
  use<Result>(work: (db: Database) => Promise<Result>, signal?: AbortSignal): Promise<Result>;
  isOpen(): boolean;
  close(): Promise<void>;
};

type Open = { db: Database; client: pg.Client; last: Promise<unknown> };

/**
 * A worker's own connection, outside the pool: it holds the advisory locks and listens for new work. If it breaks it is reopened, and `onOpen`
 * runs before anything else. Failed work closes the connection too, because its locks are then unknown.
 */
export function openDutySession(options: {
  connectionString: string;
  onOpen(db: Database): Promise<void>;
  onWaiting(): void;
  onStretch(): void;
  onError(error: Error): void;
}): DutySession {
  const closing = new AbortController();
  let opening = Promise.withResolvers<Open>();
  opening.promise.catch(() => {});
  let open: Open | undefined;

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
    client.on("notification", ({ payload }) =>
      payload === STRETCH_PAYLOAD ? options.onStretch() : options.onWaiting(),
    );
    const stop = () => breakOff(client);
    closing.signal.addEventListener("abort", stop);
    try {
      // In pg, a `connect` never settles if the client is ended meanwhile.
      await Promise.race([client.connect(), ended]);
      closing.signal.throwIfAborted();
      const db = overOne(client);
      await KEEPALIVES.execute(db);
      await sql`listen ${sql.ref(WAITING_CHANNEL)}`.execute(db);
      await options.onOpen(db);
      open = { db, client, last: Promise.resolve() };
      opening.resolve(open);
      // A notification may have been missed while disconnected.
      options.onWaiting();
      options.onStretch();
      await ended;
    } finally {
      closing.signal.removeEventListener("abort", stop);
      if (open) opening = Promise.withResolvers<Open>();
      opening.promise.catch(() => {});
      open = undefined;
      stop();
    }
  }

  async function keepOpen(): Promise<void> {
    for (let delayMs = RECONNECT_MIN_MS; !closing.signal.aborted; ) {
      const openedAtMs = performance.now();
      await openOnce().catch((error: Error) => {
        if (!closing.signal.aborted) options.onError(error);
      });
      const hasHeld = performance.now() - openedAtMs > RECONNECT_MAX_MS;
      delayMs = hasHeld ? RECONNECT_MIN_MS : Math.min(RECONNECT_MAX_MS, delayMs * 2);
      await wait(delayMs * (0.5 + Math.random() / 2), undefined, { signal: closing.signal }).catch(() => {});
    }
    opening.reject(closing.signal.reason);
  }
  const running = keepOpen();

  return {
    async use(work, signal) {
      const session = open ?? (await Promise.race([opening.promise, whenAborted(signal)]));
      const done = session.last.then(() => work(session.db));
      session.last = done.catch(() => {});
      return await done.catch((error) => {
        breakOff(session.client);
        throw error;
      });
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

/** Closes at once, without waiting for the server, which then releases the session's locks. */
function breakOff(client: pg.Client): void {
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}

/** The query builder over one connection. */
function overOne(client: pg.Client): Database {
  const lent = Object.assign(client, { release() {} });
  const pool = { options: {}, connect: async () => lent, end: async () => {} };
  return new Kysely({ dialect: new PostgresDialect({ pool }) });
}
