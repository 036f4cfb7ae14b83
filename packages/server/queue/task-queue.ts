import { setTimeout as wait } from "node:timers/promises";
import type { Database } from "../db/database.ts";
import { releaseTaskLock, tryTaskLock } from "../db/tasks/task-locks.ts";
import { claimTask, giveBack, isRunOn, listRuns } from "../db/tasks/task-run-rows.ts";
import { notifyIfMore } from "../db/tasks/waiting-tasks.ts";
import { makeId } from "../domain/ids.ts";
import { RunLost, type TaskRun } from "../domain/tasks/task-run.ts";
import { makeAlarm } from "../waiting/alarm.ts";
import { type DutySession, openDutySession } from "./duty-session.ts";

/** How often an idle worker polls, in case a notification is lost; ±20 % at random. */
const POLL_MS = 10_000;
const RETAKE_MS = 500;
/** After an error; ±50 % at random. */
const PAUSE_MS = 500;

export type HeldRun = TaskRun & {
  /** Aborted if another worker takes the Task over. */
  signal: AbortSignal;
  /** Releases the Task's lock. */
  release(): Promise<void>;
};

type Options = {
  connectionString: string;
  workerId: string;
  clientRunningMax: number;
  /** Awaited before each claim; does not reject. */
  beforeClaim?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Called when there may be a gap of words to align, which is not a Task. */
  onGap?: (() => void) | undefined;
  onError(error: Error): void;
};

/** A worker's side of the queue: takes Tasks one at a time and holds the current one by an advisory lock of its database session. */
export class TaskQueue {
  /** The connection that holds the lock. */
  readonly session: DutySession;
  readonly #options: Options;
  readonly #alarm = makeAlarm();
  #held: { run: TaskRun; lost: AbortController } | undefined;

  constructor(options: Options) {
    this.#options = options;
    const { connectionString, workerId, onGap = () => {}, onError } = options;
    this.session = openDutySession({
      connectionString,
      onOpen: (db) => this.#retake(db),
      onWaiting: (workerIds) => {
        if (workerIds.length === 0 || workerIds.includes(workerId)) this.#alarm.ring();
      },
      onGap,
      onError,
    });
  }

  /** Waits for the next Task and holds it; calls back whenever the queue was found empty. Undefined once the signal is aborted. */
  async takeNext(signal: AbortSignal, onNone = () => {}): Promise<HeldRun | undefined> {
    signal.addEventListener("abort", this.#alarm.ring, { once: true });
    let isListening = false;
    let hasSlept = false;
    while (!signal.aborted) {
      try {
        await this.#options.beforeClaim?.(signal);
        if (signal.aborted) break;
        const run = await this.#claim(signal);
        if (run) {
          this.#stopListening({ hasSlept });
          return run;
        }
        if (isListening) {
          onNone();
          hasSlept = true;
          await this.#alarm.sleep(POLL_MS * (0.8 + 0.4 * Math.random()));
        } else {
          // And claims again: a Task may have come meanwhile.
          await this.session.setListening("queue", true, signal);
          isListening = true;
        }
      } catch (error) {
        if (signal.aborted) break;
        this.#options.onError(error as Error);
        await wait(PAUSE_MS * (0.5 + Math.random()), undefined, { signal }).catch(() => {});
      }
    }
    return undefined;
  }

  close(): Promise<void> {
    return this.session.close();
  }

  async #claim(signal: AbortSignal): Promise<HeldRun | undefined> {
    const { workerId, clientRunningMax, onError } = this.#options;
    const run = await this.session.use(
      (db) => claimTask(db, { workerId, token: makeId(), clientRunningMax }),
      signal,
    );
    if (!run) return undefined;
    const lost = new AbortController();
    this.#held = { run, lost };
    return {
      ...run,
      signal: lost.signal,
      release: async () => {
        this.#held = undefined;
        // No connection, no lock.
        if (this.session.isOpen())
          await this.session.use((db) => releaseTaskLock(db, run.taskId)).catch(onError);
      },
    };
  }

  /** The Task does not wait for it. A worker that was woken wakes the next if there is more to do. */
  #stopListening({ hasSlept }: { hasSlept: boolean }): void {
    const { onError } = this.#options;
    this.session.setListening("queue", false).catch(onError);
    if (hasSlept) this.session.use(notifyIfMore).catch(onError);
  }

  /** On a new connection: takes the lock again, unless the Task was given to another worker meanwhile. */
  async #retake(db: Database): Promise<void> {
    // A claim whose response was lost: nobody is working on it, so it goes back.
    for (const run of await listRuns(db, this.#options.workerId))
      if (run.token !== this.#held?.run.token) await giveBack(db, run);
    if (this.#held && !(await this.#holdAgain(db))) void this.#keepRetaking(this.#held);
  }

  /** False while the broken session still holds the lock. */
  async #holdAgain(db: Database): Promise<boolean> {
    const held = this.#held;
    if (!held) return true;
    const isLocked = await tryTaskLock(db, held.run.taskId);
    const isOn = await isRunOn(db, held.run);
    if (!isOn) held.lost.abort(new RunLost());
    if (isLocked && !isOn) await releaseTaskLock(db, held.run.taskId);
    return isLocked || !isOn;
  }

  async #keepRetaking(given: { run: TaskRun }): Promise<void> {
    try {
      let isDone = false;
      while (!isDone) {
        await wait(RETAKE_MS);
        isDone =
          this.#held !== given ||
          (await this.session.use((db) =>
            this.#held === given ? this.#holdAgain(db) : Promise.resolve(true),
          ));
      }
    } catch (error) {
      // Reconnect, and take the Task's lock again on the new connection.
      this.#options.onError(error as Error);
    }
  }
}
