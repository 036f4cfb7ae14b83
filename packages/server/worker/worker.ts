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
import { type HeldRun, TaskQueue } from "../queue/task-queue.ts";
import { type Tracer, toTaskTrace } from "../telemetry/tracer.ts";
import { type MeasuredEngine, startHeartbeat } from "./health/heartbeat.ts";
import { type RoomWatchPorts, watchRoom } from "./health/room-watch.ts";
import { StoreWatch } from "./health/store-watch.ts";
import { abandonTask } from "./runs/end-targets.ts";
import { giveBackForRoom } from "./runs/give-back-for-room.ts";
import { NoRoom } from "./runs/note-length.ts";
import { type RunTaskPorts, runClaimedTask } from "./runs/run-claimed-task.ts";
import { SpanHelper, type SpanHelperPorts } from "./spans/span-helper.ts";
import { waitOut } from "./wait-out.ts";
import { giveBackWithCheckpoint } from "./work-dirs/resume-elsewhere.ts";

/** How long a Task waits in the queue after a store outage. */
const OUTAGE_DELAY_SECONDS = 5;
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
  const workerId = makeId();
  const disk = watchRoom(given, () => void heartbeat?.beat());
  await disk.look();
  const store = new StoreWatch(given);
  const findFault = () => disk.findFault() ?? store.findFault();
  const readDisk = async () => {
    await disk.look();
    const { freeBytes } = await given.room.look();
    return { fault: findFault(), diskFreeBytes: Number.isFinite(freeBytes) ? freeBytes : undefined };
  };
  const heartbeat = await startHeartbeat({ ...given, id: workerId, readDisk });
  const worker = new Worker(given, { workerId, disk, store, heartbeat });
  return {
    /** Why it would take no Task; undefined if it would, or is running one. */
    findFault: () => worker.findFault() ?? findFault(),
    close: (drain?: Drain) => worker.close(drain),
  };
}

type Parts = {
  workerId: string;
  disk: ReturnType<typeof watchRoom>;
  store: StoreWatch;
  heartbeat: Awaited<ReturnType<typeof startHeartbeat>>;
};

class Worker {
  readonly #given: WorkerPorts;
  readonly #parts: Parts;
  /** Aborted when no further Task may be taken. */
  readonly #draining = new AbortController();
  /** Aborted when the current Task must be given back. */
  readonly #closing = new AbortController();
  readonly #ports: RunTaskPorts;
  readonly #queue: TaskQueue;
  readonly #supervisor: ReturnType<typeof startSupervisor>;
  readonly #helper: SpanHelper | undefined;
  readonly #working: Promise<void>;

  constructor(given: WorkerPorts, parts: Parts) {
    this.#given = given;
    this.#parts = parts;
    const { log, spans } = given;
    const { workerId, disk, heartbeat } = parts;
    const closing = this.#closing.signal;
    const outage = { signal: closing, log, onRetry: disk.freeForDatabase };
    const engine = heartbeat.measure(given.engine);
    this.#ports = waitOutAll({ ...given, engine }, { workerId, outage });
    this.#queue = new TaskQueue({
      ...{ workerId, connectionString: given.connectionString, clientRunningMax: given.clientRunningMax },
      ...{ beforeClaim: disk.waitForRoom, onGap: given.onGap },
      onError: (error) => log.warn({ err: error }, "queue connection failed, reconnecting"),
    });
    this.#supervisor = startSupervisor({
      session: this.#queue.session,
      log,
      abandon: (run) => abandonTask(this.#ports, run, undefined),
    });
    this.#helper =
      spans &&
      new SpanHelper(
        {
          ...{ engine, workerId, log, workDir: given.workDir, ownBlobs: spans.ownBlobs },
          queue: waitOut(spans.queue, outage),
          during: heartbeat.during,
        },
        closing,
      );
    this.#working = this.#work();
  }

  findFault(): string | undefined {
    if (this.#draining.signal.aborted) return "the worker is shutting down";
    return this.#parts.heartbeat.isLate() ? "the database is out of reach" : undefined;
  }

  /** Takes no more Tasks. The current one has this long to finish; then it returns to the queue and resumes from its last checkpoint. */
  async close({ drainMs = 0, forceStop }: Drain = {}): Promise<void> {
    this.#draining.abort(new Error("the worker is shutting down"));
    if (drainMs > 0) await waitAtMost(this.#working, drainMs, forceStop);
    const endLimit = limitAnswers(STOPPING_ANSWER_MS);
    this.#closing.abort(new Error("the worker is shutting down"));
    await this.#working;
    const supervised = this.#supervisor.close();
    await this.#queue.close();
    await supervised;
    await this.#given.engine.close();
    await this.#ports.guard.close();
    await this.#parts.heartbeat.stop();
    endLimit();
  }

  async #work(): Promise<void> {
    const { signal } = this.#draining;
    while (!signal.aborted) {
      await this.#parts.store.waitUntilInReach(signal);
      const run = await this.#takeNext();
      if (run) await this.#workOn(run);
    }
  }

  /** Helps other workers until there is a Task. */
  async #takeNext(): Promise<HeldRun | undefined> {
    const helping = this.#helper?.begin();
    const run = await this.#queue.takeNext(this.#draining.signal, () => helping?.look());
    await helping?.stop({ atOnce: run !== undefined });
    return run;
  }

  async #workOn(run: HeldRun): Promise<void> {
    const { taskId } = run;
    const { disk, heartbeat } = this.#parts;
    try {
      await disk.during(taskId, async (full) => {
        const signal = AbortSignal.any([run.signal, this.#closing.signal, full]);
        const work = () => runClaimedTask(this.#ports, run, signal);
        await heartbeat.during(taskId, () => this.#trace(taskId, work));
        full.throwIfAborted();
      });
      await this.#fail(run, UNFINISHED);
    } catch (error) {
      await this.#letGo(run, error).catch((failure) =>
        this.#given.log.error({ err: failure, taskId }, "failed to return a Task to the queue"),
      );
    } finally {
      await run.release();
    }
  }

  #trace(taskId: string, work: () => Promise<void>): Promise<void> {
    const { tracer } = this.#given;
    if (!tracer) return work();
    const attributes = { "stemwright.task_id": taskId, "stemwright.worker_id": this.#parts.workerId };
    const span = { traceId: toTaskTrace(taskId), name: "run Task", kind: "consumer" as const, attributes };
    return tracer.during(span, work);
  }

  /** Only failures caused by the Task itself count as attempts; takeovers, shutdowns and outages do not. */
  async #letGo(run: HeldRun, error: unknown): Promise<void> {
    const { taskId } = run;
    const { log, room } = this.#given;
    const { disk, store } = this.#parts;
    const { reports } = this.#ports;
    const { signal } = this.#closing;
    if (run.signal.aborted || error instanceof RunLost)
      return log.warn({ taskId }, await this.#explainLoss(taskId));
    if (error instanceof NoRoom) return await reports.giveBack(run);
    if (signal.aborted) return await giveBackWithCheckpoint(this.#ports, run);
    if (error instanceof StoreOutage) {
      store.noteOutage();
      log.warn({ err: error, taskId }, "store out of reach, Task returned to the queue");
      return await reports.giveBack(run, { delaySeconds: OUTAGE_DELAY_SECONDS });
    }
    if (isOutOfSpace(error) || (await disk.isUsedUp())) {
      disk.noteFull();
      return await giveBackForRoom({ ...this.#ports, room }, run, { error, signal });
    }
    log.error({ err: error, taskId }, "attempt failed");
    await this.#fail(run, error instanceof Error ? error.name : String(error));
  }

  async #explainLoss(taskId: string): Promise<string> {
    const task = await this.#ports.reports.findTask(taskId);
    if (task === undefined) return "Task no longer exists, run stopped";
    return task.completedAt ? "Task has ended, run stopped" : "Task taken over by another worker";
  }

  /** Has no effect on a finished Task. */
  async #fail(run: HeldRun, errorName: string): Promise<void> {
    const { isLast } = await this.#ports.reports.failRun(run, errorName);
    if (isLast) await abandonTask(this.#ports, run, errorName);
  }
}

/** The ports of a run, which wait out outages of the database. */
function waitOutAll(
  given: WorkerPorts,
  { workerId, outage }: { workerId: string; outage: Parameters<typeof waitOut>[1] },
): RunTaskPorts {
  return {
    ...given,
    spans: given.spans && { ...given.spans, offers: waitOut(given.spans.offers, outage), workerId },
    reports: waitOut(given.reports, outage),
    credits: waitOut(given.credits, outage),
    quota: waitOut(given.quota, outage),
    assets: waitOut(given.assets, outage),
    sources: waitOut(given.sources, outage),
    integrations: waitOut(given.integrations, outage),
  };
}
