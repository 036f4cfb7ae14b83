import type pg from "pg";
import type { WorkerRegister } from "../domain/worker-report.ts";
import type { TakenJob, TaskQueue } from "../queue/task-queue.ts";
import { startHeartbeat } from "./heartbeat.ts";
import { abandonTask, type RunTaskPorts, runTask } from "./run-task.ts";
import { findTaskLock } from "./task-lock.ts";

/** How long a Task that another worker still holds is left alone. */
const HELD_DELAY_SECONDS = 5;

/** Takes Tasks from the queue, one at a time, until it is closed. */
export async function startWorker(
  given: RunTaskPorts & { pool: pg.Pool; queue: TaskQueue; register: WorkerRegister; version: string },
) {
  const closing = new AbortController();
  const heartbeat = await startHeartbeat(given);
  const ports = { ...given, engine: heartbeat.measure(given.engine) };

  const attemptTask = async (taskId: string, job: TakenJob) => {
    const lock = await findTaskLock(ports.pool, taskId);
    // No attempt at the Task: the database may take half a minute to see that a machine is gone.
    if (!lock) return await job.passOn(HELD_DELAY_SECONDS);
    try {
      const signal = AbortSignal.any([job.signal, lock.signal, closing.signal]);
      await heartbeat.during(taskId, () => runTask(ports, taskId, signal));
    } catch (error) {
      if (!closing.signal.aborted) throw error;
      await job.passOn();
    } finally {
      await lock.release();
    }
  };

  await ports.queue.work({
    async runTask(taskId, job) {
      try {
        await attemptTask(taskId, job);
      } catch (error) {
        ports.log.error({ err: error, taskId }, "an attempt at a Task failed");
        throw error;
      }
    },
    abandonTask: (taskId, lastErrorName) => abandonTask(ports, taskId, lastErrorName),
  });

  return {
    /** Stops at once; the Task in work goes back to the queue, and goes on from its last checkpoint. */
    async close(): Promise<void> {
      closing.abort(new Error("the worker is shutting down"));
      await ports.queue.close();
      await ports.engine.close();
      await ports.guard.close();
      await heartbeat.stop();
    },
  };
}
