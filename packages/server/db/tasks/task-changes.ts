import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import type { TaskChanges } from "../../domain/ports.ts";
import { CONNECTION_OPTIONS } from "../connection/open-database.ts";
import { SteadyClient } from "../connection/steady-client.ts";
import type { DatabaseHandle } from "../database.ts";

export const TASK_CHANGES_CHANNEL = "task_changes";
const RECONNECT_DELAY_MS = 1000;
/** How often we ask whether the server is still there and takes writes: a connection that only listens would wait for a dead one for ever. */
const CHECK_MS = 10_000;

/** Notifies every listening process that a Task changed; inside a transaction, when it commits. */
export async function notifyTaskChange(db: DatabaseHandle, taskId: string): Promise<void> {
  await sql`select pg_notify(${TASK_CHANGES_CHANNEL}, ${taskId})`.execute(db);
}

/**
 * LISTENs for changed Tasks, over one connection for all listeners. It is opened for the first listener and reopened when it breaks; as
 * notifications may have been missed meanwhile, a reconnection counts as a change of every Task.
 */
export function openTaskChanges(options: {
  connectionString: string;
  onError: (error: Error) => void;
}): TaskChanges & { close(): Promise<void> } {
  const listeners = new Set<(taskId: string | undefined) => void>();
  const closing = new AbortController();
  let client: SteadyClient | undefined;
  let running: Promise<void> | undefined;
  const tell = (taskId: string | undefined) => {
    for (const listener of listeners) listener(taskId);
  };

  async function diarizeOnce(): Promise<void> {
    const current = new SteadyClient({
      connectionString: options.connectionString,
      application_name: "stemwright changes",
      ...CONNECTION_OPTIONS,
      query_timeout: CONNECTION_OPTIONS.connectionTimeoutMillis,
    });
    client = current;
    const ended = new Promise<false>((resolve) => current.once("end", () => resolve(false)));
    current.on("error", options.onError);
    current.on("notification", ({ payload }) => tell(payload));
    await current.connect();
    await current.query(`listen ${TASK_CHANGES_CHANNEL}`);
    tell(undefined);
    while (await Promise.race([wait(CHECK_MS, true, { ref: false }), ended])) await current.requireWritable();
  }

  async function listenUntilClosed(): Promise<void> {
    while (!closing.signal.aborted) {
      await diarizeOnce().catch((error: Error) => {
        if (!closing.signal.aborted) options.onError(error);
      });
      await client?.end().catch(() => {});
      await wait(RECONNECT_DELAY_MS, undefined, { signal: closing.signal }).catch(() => {});
    }
  }

  return {
    subscribe(listener) {
      listeners.add(listener);
      running ??= listenUntilClosed();
      return () => void listeners.delete(listener);
    },
    async close() {
      closing.abort();
      await client?.end().catch(() => {});
      await running;
    },
  };
}
