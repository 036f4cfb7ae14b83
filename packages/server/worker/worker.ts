import { setTimeout as wait } from "node:timers/promises";
import { limitAnswers, STOPPING_ANSWER_MS } from "../db/connection/steady-client.ts";
import { makeId } from "../domain/ids.ts";
import type { WorkerRegister, WorkerReport } from "../domain/operation/worker-report.ts";
import type { SpanOffers, SpanQueue } from "../domain/spans/span-record.ts";
import { StoreOutage } from "../domain/storage/store-outage.ts";
import { RunLost } from "../domain/tasks/task-run.ts";
import { isOutOfSpace } from "../faults/is-out-of-space.ts";
import type { DiskRoom } from "../monitoring/disk-room.ts";
import { startSupervisor } from "../queue/supervisor.ts";
import { type HeldRun, openTaskQueue } from "../queue/task-queue.ts";
import { type Tracer, toTaskTrace } from "../telemetry/tracer.ts";
import { type MeasuredEngine, startHeartbeat } from "./health/heartbeat.ts";
import { type RoomWatchPorts, watchRoom } from "./health/room-watch.ts";
import { abandonTask } from "./runs/end-targets.ts";
import { giveBackForRoom } from "./runs/give-back-for-room.ts";
import { NoRoom } from "./runs/note-length.ts";
import { type RunTaskPorts, runClaimedTask } from "./runs/run-claimed-task.ts";
import { makeSpanHelper, type SpanHelperPorts } from "./spans/span-helper.ts";
import { waitOut } from "./wait-out.ts";
import { giveBackWithCheckpoint } from "./work-dirs/resume-elsewhere.ts";

/** How long a Task waits in the queue after a store outage. */
const OUTAGE_DELAY_SECONDS = 5;
const MIN_STORE_CHECK_MS = 1000;
const MAX_STORE_CHECK_MS = 15_000;
/** A run that returned normally but left targets unfinished: a bug. */
const UNFINISHED = "Unfinished";

export type WorkerPorts = Omit<RunTaskPorts, "engine" | "spans" | "room"> & {
  engine: MeasuredEngine;
  room: DiskRoom;
  freeLeftWork: RoomWatchPorts["freeLeftWork"];
  /** Shares long inputs among workers, if set. */
  spans?:
    | {
        offers: SpanOffers;
        queue: SpanQueue;
        fromSeconds: number;
        ownBlobs: SpanHelperPorts["ownBlobs"];
        /** As in the report. */
        machine: string;
      }
    | undefined;
  connectionString: string;
  clientRunningMax: number;
  register: WorkerRegister;
  version: string;
  /** Which device each of the engine's networks runs on. */
  listNetworks?: () => WorkerReport["networks"];
  /** Called when there may be a gap of words to align. */
  onGap?: () => void;
  /** Undefined if no collector is configured. */
  tracer?: Tracer | undefined;
  readMemory?: () => Promise<number>;
};

export type Drain = {
  drainMs?: number;
  /** Cuts the wait short. */
  forceStop?: AbortSignal | undefined;
};

async function waitAtMost(
  work: Promise<void>,
  limitMs: number,
  forceStop: AbortSignal | undefined,
): Promise<void> {
  const done = new AbortController();
  const signal = forceStop ? AbortSignal.any([done.signal, forceStop]) : done.signal;
  await Promise.race([work, wait(limitMs, undefined, { signal }).catch(() => {})]);
  done.abort();
}

/** Works on Tasks, one at a time, until it is closed. */
export async function startWorker(given: WorkerPorts) {
  const { log, connectionString, clientRunningMax } = given;
  /** Aborted when no further Task may be taken. */
  const draining = new AbortController();
  /** Aborted when the current Task must be given back. */
  const closing = new AbortController();
  const workerId = makeId();
  let isStoreInDoubt = false;
  const disk = watchRoom(given, () => void heartbeat?.beat());
  await disk.look();
  const findFault = () => disk.findFault() ?? (isStoreInDoubt ? "the store is out of reach" : undefined);
  const readDisk = async () => {
    await disk.look();
    const { freeBytes } = await given.room.look();
    return { fault: findFault(), diskFreeBytes: Number.isFinite(freeBytes) ? freeBytes : undefined };
  };
  const heartbeat = await startHeartbeat({ ...given, id: workerId, readDisk });
  const outage = { signal: closing.signal, log, onRetry: disk.freeForDatabase };
  const engine = heartbeat.measure(given.engine);
  const ports: RunTaskPorts = {
    ...given,
    engine,
    spans: given.spans && { ...given.spans, offers: waitOut(given.spans.offers, outage), workerId },
    reports: waitOut(given.reports, outage),
    credits: waitOut(given.credits, outage),
    quota: waitOut(given.quota, outage),
    assets: waitOut(given.assets, outage),
    sources: waitOut(given.sources, outage),
    integrations: waitOut(given.integrations, outage),
  };
  const queue = openTaskQueue({
    beforeClaim: disk.waitForRoom,
    ...{ connectionString, workerId, clientRunningMax, onGap: given.onGap },
    onError: (error) => log.warn({ err: error }, "queue connection failed, reconnecting"),
  });
  const supervisor = startSupervisor({
    session: queue.session,
    log,
    abandon: (run) => abandonTask(ports, run, undefined),
  });
  const helper =
    given.spans &&
    makeSpanHelper(
      {
        ...{ engine, workerId, log, workDir: given.workDir, ownBlobs: given.spans.ownBlobs },
        queue: waitOut(given.spans.queue, outage),
        during: heartbeat.during,
      },
      closing.signal,
    );

  /** Takes no Task during a store outage: fetching its input would fail. */
  async function waitForStore(): Promise<void> {
    for (let waitMs = MIN_STORE_CHECK_MS; isStoreInDoubt && !draining.signal.aborted; ) {
      try {
        await ports.blobs.check();
        isStoreInDoubt = false;
      } catch (error) {
        log.warn({ err: error, retryInMs: waitMs }, "store out of reach, taking no Tasks");
        await wait(waitMs, undefined, { signal: draining.signal }).catch(() => {});
        waitMs = Math.min(MAX_STORE_CHECK_MS, waitMs * 2);
      }
    }
  }

  const trace = (taskId: string, work: () => Promise<void>) =>
    given.tracer
      ? given.tracer.during(
          {
            traceId: toTaskTrace(taskId),
            name: "run Task",
            kind: "consumer",
            attributes: { "stemwright.task_id": taskId, "stemwright.worker_id": workerId },
          },
          work,
        )
      : work();

  async function workOn(run: HeldRun): Promise<void> {
    const { taskId } = run;
    try {
      await disk.during(taskId, async (full) => {
        const signal = AbortSignal.any([run.signal, closing.signal, full]);
        await heartbeat.during(taskId, () => trace(taskId, () => runClaimedTask(ports, run, signal)));
        full.throwIfAborted();
      });
      await fail(run, UNFINISHED);
    } catch (error) {
      await letGo(run, error).catch((failure) =>
        log.error({ err: failure, taskId }, "failed to return a Task to the queue"),
      );
    } finally {
      await run.release();
    }
  }

  /** Only failures caused by the Task itself count as attempts; takeovers, shutdowns and outages do not. */
  async function letGo(run: HeldRun, error: unknown): Promise<void> {
    const { taskId } = run;
    if (run.signal.aborted || error instanceof RunLost)
      return log.warn({ taskId }, await explainLoss(taskId));
    if (error instanceof NoRoom) return await ports.reports.giveBack(run);
    if (closing.signal.aborted) return await giveBackWithCheckpoint(ports, run);
    if (error instanceof StoreOutage) {
      isStoreInDoubt = true;
      log.warn({ err: error, taskId }, "store out of reach, Task returned to the queue");
      return await ports.reports.giveBack(run, { delaySeconds: OUTAGE_DELAY_SECONDS });
    }
    if (isOutOfSpace(error) || (await disk.isUsedUp())) {
      disk.noteFull();
      return await giveBackForRoom({ ...ports, room: given.room }, run, { error, signal: closing.signal });
    }
    log.error({ err: error, taskId }, "attempt failed");
    await fail(run, error instanceof Error ? error.name : String(error));
  }

  async function explainLoss(taskId: string): Promise<string> {
    const task = await ports.reports.findTask(taskId);
    if (task === undefined) return "Task no longer exists, run stopped";
    return task.completedAt ? "Task has ended, run stopped" : "Task taken over by another worker";
  }

  /** Has no effect on a finished Task. */
  async function fail(run: HeldRun, errorName: string): Promise<void> {
    const { isLast } = await ports.reports.failRun(run, errorName);
    if (isLast) await abandonTask(ports, run, errorName);
  }

  async function work(): Promise<void> {
    while (!draining.signal.aborted) {
      await waitForStore();
      const run = await takeNext();
      if (run) await workOn(run);
    }
  }

  /** Helps other workers until there is a Task. */
  async function takeNext(): Promise<HeldRun | undefined> {
    const helping = helper?.begin();
    const run = await queue.takeNext(draining.signal, helping?.look);
    await helping?.stop({ atOnce: run !== undefined });
    return run;
  }
  const working = work();

  return {
    /** Why it would take no Task; undefined if it would, or is running one. */
    findFault(): string | undefined {
      if (draining.signal.aborted) return "the worker is shutting down";
      if (heartbeat.isLate()) return "the database is out of reach";
      return findFault();
    },
    /** Takes no more Tasks. The current one has this long to finish; then it returns to the queue and resumes from its last checkpoint. */
    async close({ drainMs = 0, forceStop }: Drain = {}): Promise<void> {
      draining.abort(new Error("the worker is shutting down"));
      if (drainMs > 0) await waitAtMost(working, drainMs, forceStop);
      const endLimit = limitAnswers(STOPPING_ANSWER_MS);
      closing.abort(new Error("the worker is shutting down"));
      await working;
      const supervised = supervisor.close();
      await queue.close();
      await supervised;
      await engine.close();
      await ports.guard.close();
      await heartbeat.stop();
      endLimit();
    },
  };
}
