import type { Transaction } from "kysely";
import { fromKysely, type JobWithMetadata, PgBoss } from "pg-boss";
import type { Tables } from "../db/database.ts";

/** One job for each Task. */
const TASK_QUEUE = "task";
/** Jobs whose every attempt failed, or ended with the worker dying. */
const ABANDONED_QUEUE = "task-abandoned";
/** A worker that misses its heartbeat for this long is taken for dead, and its job given to another. */
const HEARTBEAT_SECONDS = 10;
const ATTEMPTS_MAX = 5;

type TaskJob = { taskId: string };

export type TakenJob = {
  /** Tells that the job was taken away. */
  signal: AbortSignal;
  /** Gives the Task to the next worker, with as many attempts as it had left: this one does not count. */
  passOn(afterSeconds?: number): Promise<void>;
};

export type TaskHandlers = {
  /** Works on a Task. A rejection gives the job back for another try. */
  runTask(taskId: string, job: TakenJob): Promise<void>;
  /** Ends a Task that has no attempt left. The last one failed with an error of that name, if it told of any. */
  abandonTask(taskId: string, lastErrorName: string | undefined): Promise<void>;
};

export async function openTaskQueue(options: { connectionString: string; onError: (error: Error) => void }) {
  const boss = new PgBoss({
    connectionString: options.connectionString,
    application_name: "stemwright queue",
    max: 4,
    schedule: false,
    useListenNotify: true,
    // How soon a dead worker's job is noticed after its heartbeat ran out.
    superviseIntervalSeconds: 2,
    monitorIntervalSeconds: 2,
  });
  boss.on("error", options.onError);
  await boss.start();
  await boss.createQueue(ABANDONED_QUEUE, { notify: true, retryLimit: 100, retryDelay: 5 });
  await boss.createQueue(TASK_QUEUE, {
    notify: true,
    deadLetter: ABANDONED_QUEUE,
    retryLimit: ATTEMPTS_MAX - 1,
    retryDelay: 1,
    heartbeatSeconds: HEARTBEAT_SECONDS,
    // The heartbeat says whether a worker lives; three hours of audio on a slow machine may take a day.
    expireInSeconds: 24 * 3600 - 1,
  });

  return {
    /** Enqueues in the caller's transaction: the job exists exactly when the Task does. */
    async sendTask(transaction: Transaction<Tables>, taskId: string): Promise<void> {
      await boss.send(TASK_QUEUE, { taskId } satisfies TaskJob, { db: fromKysely(transaction) });
    },
    async work(handlers: TaskHandlers): Promise<void> {
      const polling = {
        notifyPollingIntervalSeconds: 2,
        pollingIntervalSeconds: 2,
        batchSize: 1,
        includeMetadata: true,
      } as const;
      await boss.work(TASK_QUEUE, polling, async ([job]: JobWithMetadata<TaskJob>[]) => {
        if (!job) return;
        const { data, signal, retryLimit, retryCount } = job;
        const passOn = async (afterSeconds = 0) => {
          // Its turn had come: it does not go to the end of the line.
          const options = { startAfter: afterSeconds, retryLimit: retryLimit - retryCount, priority: 1 };
          await boss.send(TASK_QUEUE, data, options);
        };
        await handlers.runTask(data.taskId, { signal, passOn });
      });
      await boss.work(ABANDONED_QUEUE, polling, async ([job]: JobWithMetadata<TaskJob>[]) => {
        if (!job) return;
        const lastError = job.sourceOutput as { name?: string } | null;
        await handlers.abandonTask(job.data.taskId, lastError?.name);
      });
    },
    /** Stops taking jobs; waits for the handlers that still run. */
    async close(): Promise<void> {
      await boss.stop({ graceful: true, timeout: 10_000 });
    },
  };
}
export type TaskQueue = Awaited<ReturnType<typeof openTaskQueue>>;
