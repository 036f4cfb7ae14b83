import type { FastifyBaseLogger } from "fastify";
import type { Database } from "../db/database.ts";
import { type DoubtfulRun, lookAtRuns, terminateBackend, trySupervising } from "../db/tasks/supervision.ts";
import { releaseTaskLock, tryTaskLock } from "../db/tasks/task-locks.ts";
import { failRun } from "../db/tasks/task-run-rows.ts";
import { endDelays } from "../db/tasks/waiting-tasks.ts";
import type { TaskRun } from "../domain/tasks/task-run.ts";
import { makeAlarm } from "../waiting/alarm.ts";
import type { DutySession } from "./duty-session.ts";

const ROUND_MS = 2000;
/** How often other workers check whether a supervisor is needed; ±20 % at random. */
const CANDIDATE_MS = 10_000;
/** After a gap between rounds, a supervisor declares no worker dead for this long: the database may have been unreachable. */
const TRUST_AFTER_MS = 10_000;
const WORKER_LOST = "WorkerLost";

export type SupervisorPorts = {
  session: DutySession;
  log: Pick<FastifyBaseLogger, "warn" | "error">;
  /** Ends a Task whose last attempt killed its worker. */
  abandon(run: TaskRun): Promise<void>;
};

/**
 * Returns the Tasks of dead workers to the queue; one worker does this for all. A run's advisory lock is its heartbeat. A run found without its
 * lock in two rounds goes to another worker; in a single round, a healthy worker might just be reconnecting.
 */
export function startSupervisor({ session, log, abandon }: SupervisorPorts) {
  const alarm = makeAlarm();
  let isClosed = false;
  let supervised: Database | undefined;
  let unlocked = new Set<string>();
  /** When the current series of rounds without a gap began, and when the last round was. */
  let steadySinceMs = 0;
  let lastRoundMs = 0;

  /**
   * The supervisor's lock ends with its connection, so a new connection must apply again. The first round is delayed: if all connections
   * broke at once, the other workers have only just reconnected too.
   */
  async function isSupervisor(db: Database): Promise<boolean> {
    if (supervised === db) return true;
    unlocked = new Set();
    supervised = (await trySupervising(db)) ? db : undefined;
    return false;
  }

  function isSilenceTrusted(): boolean {
    const nowMs = performance.now();
    if (nowMs - lastRoundMs > 2 * ROUND_MS) steadySinceMs = nowMs;
    lastRoundMs = nowMs;
    return nowMs - steadySinceMs > TRUST_AFTER_MS;
  }

  async function doRound(db: Database): Promise<TaskRun[]> {
    const { doubtful, isDelayOver } = await lookAtRuns(db);
    const mayEndSessions = isSilenceTrusted();
    if (isDelayOver) await endDelays(db);
    const before = unlocked;
    unlocked = new Set(doubtful.filter(({ silentPid }) => silentPid === null).map(({ token }) => token));
    const exhausted: TaskRun[] = [];
    for (const run of doubtful) {
      const { taskId, workerId } = run;
      if (run.silentPid !== null) {
        if (!mayEndSessions) continue;
        log.warn({ taskId, workerId }, "worker silent, ending its database session");
        await terminateBackend(db, run.silentPid);
      } else if (before.has(run.token) && (await takeFromLost(db, run)).isLast) exhausted.push(run);
    }
    return exhausted;
  }

  async function takeFromLost(db: Database, run: DoubtfulRun): Promise<{ isLast: boolean }> {
    const { taskId, workerId } = run;
    // A worker that reconnects at this moment finds the lock taken and tries again.
    if (!(await tryTaskLock(db, taskId))) return { isLast: false };
    try {
      log.warn({ taskId, workerId }, "worker lost, Task returned to the queue");
      return await failRun(db, run, WORKER_LOST, { firstDelaySeconds: 0 });
    } finally {
      await releaseTaskLock(db, taskId);
    }
  }

  async function supervise(): Promise<void> {
    while (!isClosed) {
      try {
        const exhausted = await session.use(async (db) =>
          (await isSupervisor(db)) ? await doRound(db) : [],
        );
        for (const run of exhausted) await abandon(run);
        // So that one worker is notified of gaps to align while all are busy.
        await session.setListening("supervisor", supervised !== undefined);
      } catch (error) {
        if (!isClosed) log.error({ err: error }, "supervisor round failed");
      }
      if (!isClosed) await alarm.sleep(supervised ? ROUND_MS : CANDIDATE_MS * (0.8 + 0.4 * Math.random()));
    }
  }
  const running = supervise();

  return {
    async close(): Promise<void> {
      isClosed = true;
      alarm.ring();
      await running;
    },
  };
}
