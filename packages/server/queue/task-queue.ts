import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { releaseTaskLock, tryTaskLock } from "../db/tasks/task-locks.ts";
import { claimTask, giveBack, isRunOn, listRuns } from "../db/tasks/task-run-rows.ts";
import { makeId } from "../domain/ids.ts";
import { RunLost, type TaskRun } from "../domain/tasks/task-run.ts";
import { makeAlarm } from "../waiting/alarm.ts";
import { type DutySession, openDutySession } from "./duty-session.ts";

/** A worker without work looks for some this often, whether it hears of any or not; more or less by a fifth, at random. */
const POLL_MS = 10_000;
const RETAKE_MS = 500;

export type HeldRun = TaskRun & {
  /** Aborted when the Task was taken over. */
  signal: AbortSignal;
  /** Lets others have the Task. */
  release(): Promise<void>;
};

export type TaskQueue = {
  /** The next Task, held for this worker; waits until there is one, and tells when it has looked and found none. Undefined once the signal is aborted. */
  takeNext(signal: AbortSignal, onNone?: () => void): Promise<HeldRun | undefined>;
  /** The connection that holds it. */
  session: DutySession;
  close(): Promise<void>;
};

/** A worker's side of the queue: takes Tasks one at a time, and holds the one it is at by a lock of its database session. */
export function openTaskQueue(options: {
  connectionString: string;
  workerId: string;
  clientRunningMax: number;
  /** Told that there may be a stretch of words to align, which is no Task. */
  onStretch?: (() => void) | undefined;
  onError(error: Error): void;
}): TaskQueue {
  const { workerId, clientRunningMax, onError } = options;
  const alarm = makeAlarm();
  let held: { run: TaskRun; lost: AbortController } | undefined;

  /** On a new connection: what the broken one held is taken again, unless it was given to another worker meanwhile. */
  async function retake(db: Database): Promise<void> {
    // A claim whose answer got lost is nobody's work.
    for (const run of await listRuns(db, workerId))
      if (run.token !== held?.run.token) await giveBack(db, run);
    if (held && !(await holdAgain(db))) void keepRetaking(held);
  }

  /** False as long as the session that broke still holds the lock. */
  async function holdAgain(db: Database): Promise<boolean> {
    if (!held) return true;
    const isLocked = await tryTaskLock(db, held.run.taskId);
    const isOn = await isRunOn(db, held.run);
    if (!isOn) held.lost.abort(new RunLost());
    if (isLocked && !isOn) await releaseTaskLock(db, held.run.taskId);
    return isLocked || !isOn;
  }

  async function keepRetaking(given: typeof held): Promise<void> {
    try {
      let isDone = false;
      while (!isDone) {
        await wait(RETAKE_MS);
        isDone =
          held !== given ||
          (await session.use((db) => (held === given ? holdAgain(db) : Promise.resolve(true))));
      }
    } catch (error) {
      // Reconnect, and take the Task's lock again on the new connection.
      onError(error as Error);
    }
  }

  const session = openDutySession({
    connectionString: options.connectionString,
    onOpen: retake,
    onWaiting: alarm.ring,
    onStretch: options.onStretch ?? (() => {}),
    onError,
  });

  async function claim(signal: AbortSignal): Promise<HeldRun | undefined> {
    const run = await session.use(
      (db) => claimTask(db, { workerId, token: makeId(), clientRunningMax }),
      signal,
    );
    if (!run) return undefined;
    const lost = new AbortController();
    held = { run, lost };
    return {
      ...run,
      signal: lost.signal,
      async release() {
        held = undefined;
        // Without a connection there is no lock either.
        if (session.isOpen()) await session.use((db) => releaseTaskLock(db, run.taskId)).catch(onError);
      },
    };
  }

  return {
    session,
    async takeNext(signal, onNone = () => {}) {
      signal.addEventListener("abort", alarm.ring, { once: true });
      while (!signal.aborted) {
        try {
          const run = await claim(signal);
          if (run) return run;
          onNone();
          await alarm.sleep(POLL_MS * (0.8 + 0.4 * Math.random()));
        } catch (error) {
          if (!signal.aborted) onError(error as Error);
        }
      }
      return undefined;
    },
    close: () => session.close(),
  };
}
