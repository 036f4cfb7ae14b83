import type { FastifyBaseLogger } from "fastify";
import type { Database } from "../db/database.ts";
import { type DoubtfulRun, endSession, lookAtRuns, trySupervising } from "../db/tasks/supervision.ts";
import { releaseTaskLock, tryTaskLock } from "../db/tasks/task-locks.ts";
import { failRun } from "../db/tasks/task-run-rows.ts";
import { endDelays } from "../db/tasks/waiting-tasks.ts";
import type { TaskRun } from "../domain/tasks/task-run.ts";
import { makeAlarm } from "../waiting/alarm.ts";
import type { DutySession } from "./duty-session.ts";

const ROUND_MS = 2000;
/** Who is no supervisor asks this often whether one is needed; more or less by a fifth, at random. */
const CANDIDATE_MS = 10_000;
/** For this long after a pause in its own work a supervisor declares no worker dead: the database may have been unreachable. */
const TRUST_AFTER_MS = 10_000;
const WORKER_LOST = "WorkerLost";

export type SupervisorPorts = {
  session: DutySession;
  log: Pick<FastifyBaseLogger, "warn" | "error">;
  /** Ends a Task whose last attempt took its worker with it. */
  abandon(run: TaskRun): Promise<void>;
};

/**
 * Looks after the Tasks of workers that died, one worker for all: the lock of a run is its heartbeat. A run that is found
 * without it in two rounds goes to another worker; one round may be the moment in which a healthy worker reconnects.
 */
export function startSupervisor({ session, log, abandon }: SupervisorPorts) {
  const alarm = makeAlarm();
  let isClosed = false;
  let supervised: Database | undefined;
  let unlocked = new Set<string>();
  /** Since when rounds have followed each other without a pause, and when the last was. */
  let steadySinceMs = 0;
  let lastRoundMs = 0;

  /**
   * The session's lock goes with its connection, so a new one has to apply again. The first round comes a while after: where all
   * connections broke at once, the others are as new as this one.
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
        await endSession(db, run.silentPid);
      } else if (before.has(run.token) && (await takeFromLost(db, run)).isLast) exhausted.push(run);
    }
    return exhausted;
  }

  async function takeFromLost(db: Database, run: DoubtfulRun): Promise<{ isLast: boolean }> {
    const { taskId, workerId } = run;
    // A worker that comes back in this moment finds the lock taken, and asks again.
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
