import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { EngineError, EngineKilled, type EngineProcess } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import { findCatalogueModel } from "../domain/models/catalogue.ts";
import type { TargetRecord, TaskProgress, TaskRecord } from "../domain/tasks/task-record.ts";
import type { TaskReports } from "../domain/tasks/task-reports.ts";
import type { KeptStems } from "../kept-stems.ts";
import { type CoverInputPorts, coverInput, makeOverCredits } from "./cover-input.ts";
import { findTargetFailure } from "./engine-failure.ts";
import { planOutputs, toEngineTarget, transcriptPath } from "./engine-target.ts";
import { type FetchInputPorts, fetchInput } from "./fetch-input.ts";
import { fetchTranscript, hasTranscript } from "./fetch-transcript.ts";
import { spareTargets } from "./spare-targets.ts";
import { type StoreOutputsPorts, storeOutputs } from "./store-outputs.ts";
import { TargetFailure } from "./target-failure.ts";

export type RunTaskPorts = FetchInputPorts &
  StoreOutputsPorts &
  CoverInputPorts & {
    engine: Pick<EngineProcess, "run" | "close">;
    reports: TaskReports;
    keptStems: KeptStems;
    workDir: string;
    log: FastifyBaseLogger;
  };

/** How often progress is written, and how soon a cancelled or deleted Task is noticed. */
const WATCH_INTERVAL_MS = 1000;

/** Does all that is left to do of a Task. Safe to run again after any interruption: what is finished stays finished. */
export async function runTask(ports: RunTaskPorts, taskId: string, signal: AbortSignal): Promise<void> {
  const task = await ports.reports.findTask(taskId);
  const targets = listUnfinished(task);
  const taskDir = join(ports.workDir, taskId);
  if (task && targets.length > 0) {
    await ports.reports.startRun(taskId);
    const watch = watchTask(ports, task, signal);
    try {
      const sparing = spareTargets(ports);
      await tryTargets(sparing.ports, { task, targets, taskDir, watch }, signal);
      const spared = sparing.hasMadeRoom() ? listUnfinished(await ports.reports.findTask(taskId)) : [];
      if (spared.length > 0) await tryTargets(ports, { task, targets: spared, taskDir, watch }, signal);
    } finally {
      watch.stop();
      // Without effect on a Task that is finished.
      await ports.reports
        .endRun(taskId)
        .catch((error) => ports.log.warn({ err: error, taskId }, "the end of a run could not be written"));
    }
  }
  await rm(taskDir, { recursive: true, force: true });
}

const listUnfinished = (task: TaskRecord | undefined) =>
  task?.targets.filter(({ status }) => status === "processing") ?? [];

/** Where the work fails as a whole, so do the targets. */
async function tryTargets(ports: RunTaskPorts, work: Work, signal: AbortSignal): Promise<void> {
  try {
    await runTargets(ports, work);
  } catch (error) {
    if (signal.aborted) throw error;
    if (!work.watch.signal.aborted) await failTargets(ports, work.task, work.targets, error);
  }
}

type Watch = {
  signal: AbortSignal;
  /** Nothing is left to do of the Task. */
  over: AbortSignal;
  report(progress: number, secondsLeft?: number): void;
  stop(): void;
};

/** Writes the progress down once a second, and ends the work when nothing is left to work for. */
function watchTask(ports: RunTaskPorts, task: TaskRecord, signal: AbortSignal): Watch {
  const ended = new AbortController();
  let reported: (TaskProgress & { atMs: number }) | undefined;
  const timer = setInterval(async () => {
    try {
      if (reported) {
        const { progress, secondsLeft, atMs } = reported;
        reported = undefined;
        const passedSeconds = (performance.now() - atMs) / 1000;
        await ports.reports.setProgress(task.id, {
          progress,
          secondsLeft: secondsLeft && secondsLeft - passedSeconds,
        });
      }
      const current = await ports.reports.findTask(task.id);
      if (!current?.targets.some(({ status }) => status === "processing"))
        ended.abort(new Error("nothing is left to do of the Task"));
    } catch (error) {
      ports.log.warn({ err: error, taskId: task.id }, "progress could not be written");
    }
  }, WATCH_INTERVAL_MS);
  return {
    signal: AbortSignal.any([signal, ended.signal]),
    over: ended.signal,
    report: (progress, secondsLeft) => {
      reported = { progress, secondsLeft, atMs: performance.now() };
    },
    stop: () => clearInterval(timer),
  };
}

type Work = { task: TaskRecord; targets: TargetRecord[]; taskDir: string; watch: Watch };

async function runTargets(ports: RunTaskPorts, work: Work): Promise<void> {
  const { task, taskDir, watch } = work;
  const inputPath = join(taskDir, "input");
  await mkdir(join(taskDir, "out"), { recursive: true, mode: 0o700 });
  const targets = await fetchTranscripts(ports, work);
  if (targets.length === 0) return;
  if (!(await isThere(inputPath))) await fetchInput(ports, task, inputPath, watch);
  await runEngine(ports, { ...work, targets });
}

const limitOf = ({ model }: TargetRecord) => findCatalogueModel(model)?.maxInputDurationSeconds ?? 0;

/** Each target has the limit of its model: those that the input is too long for end, the others go on. */
async function runEngine(ports: RunTaskPorts, work: Work): Promise<void> {
  const limitSeconds = Math.min(...work.targets.map(limitOf));
  try {
    await runWithin(ports, work, limitSeconds);
  } catch (error) {
    const others = work.targets.filter((target) => limitOf(target) > limitSeconds);
    if (!isTooLong(error) || others.length === 0) throw error;
    const atLimit = work.targets.filter((target) => limitOf(target) === limitSeconds);
    await failTargets(ports, work.task, atLimit, error);
    await runEngine(ports, { ...work, targets: others });
  }
}

const isTooLong = (error: unknown) => error instanceof EngineError && error.kind === "input-too-long";

async function runWithin(ports: RunTaskPorts, work: Work, limitSeconds: number): Promise<void> {
  const { task, targets, taskDir, watch } = work;
  const inputPath = join(taskDir, "input");
  const coveredSeconds = await coverInput(ports, task, { inputPath, limitSeconds });
  const running = ports.engine.run(
    {
      inputPath,
      workDir: join(taskDir, "engine"),
      targets: targets.map((target) => toEngineTarget(target, taskDir)),
      maxDurationSeconds: Math.min(limitSeconds, coveredSeconds),
      cacheUser: { scope: task.clientId, owner: task.id },
    },
    {
      signal: watch.signal,
      onProgress: watch.report,
      onTargetDone: async (targetId, { durationSeconds }) => {
        const target = targets.find(({ id }) => id === targetId);
        if (!target) return;
        try {
          await completeTarget(ports, { task, target, taskDir, durationSeconds, watch });
        } catch (error) {
          if (watch.signal.aborted) throw error;
          await failTargets(ports, task, [target], error);
        }
      },
      onTargetFailed: async (targetId, error) => {
        await failTargets(
          ports,
          task,
          targets.filter(({ id }) => id === targetId),
          error,
        );
      },
    },
  );
  await running.catch((error: unknown) => {
    throw isTooLong(error) && coveredSeconds < limitSeconds ? makeOverCredits(coveredSeconds) : error;
  });
}

/** The targets that have all they need; one whose transcript can't be had ends here. */
async function fetchTranscripts(
  ports: RunTaskPorts,
  { task, targets, taskDir, watch }: Work,
): Promise<TargetRecord[]> {
  const ready: TargetRecord[] = [];
  for (const target of targets) {
    const path = transcriptPath(target, taskDir);
    try {
      if (hasTranscript(target) && !(await isThere(path)))
        await fetchTranscript(ports, { task, target, path }, watch.signal);
      ready.push(target);
    } catch (error) {
      if (watch.signal.aborted) throw error;
      await failTargets(ports, task, [target], error);
    }
  }
  return ready;
}

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Files first, then the row: a reader never sees a link to a file that is not there. */
async function completeTarget(
  ports: RunTaskPorts,
  {
    task,
    target,
    taskDir,
    durationSeconds,
    watch,
  }: Omit<Work, "targets"> & { target: TargetRecord; durationSeconds: number },
): Promise<void> {
  const files = planOutputs(target, taskDir);
  const { signal, over } = watch;
  const stored = await storeOutputs(ports, { task, targetId: target.id, files, signal, over });
  // Whoever took the Task over ends its targets.
  if (!over.aborted) signal.throwIfAborted();
  const isEnded = await ports.reports.endTarget(task.id, target.id, {
    status: "completed",
    durationSeconds,
    output: stored.output,
  });
  if (!isEnded) return await stored.remove();
  ports.log.info(
    { taskId: task.id, targetId: target.id, model: target.model, durationSeconds },
    "target completed",
  );
}

/** Failures a client can understand end the targets; others are thrown, for the queue to try again. */
async function failTargets(
  ports: Pick<RunTaskPorts, "reports" | "log">,
  task: TaskRecord,
  targets: readonly TargetRecord[],
  error: unknown,
): Promise<void> {
  const failure = findTargetFailure(error);
  if (!failure) throw error;
  for (const target of targets) {
    const isEnded = await ports.reports.endTarget(task.id, target.id, {
      status: "error",
      error: { code: failure.code, message: failure.message },
    });
    if (!isEnded) continue;
    ports.log.warn(
      { taskId: task.id, targetId: target.id, code: failure.code, reason: failure.message },
      "target failed",
    );
  }
}

/** The queue keeps what ended the last attempt; of those before it the log tells. */
const KILLED =
  "Every attempt at the Task failed on our side. The last time the engine was killed from outside, most likely because the machine ran out of memory: the operator can give it more, or run fewer workers on it (WORKERS).";

/** The end of a Task whose every attempt failed on our side, or took the worker with it. */
export async function abandonTask(
  ports: Pick<RunTaskPorts, "reports" | "log">,
  taskId: string,
  lastErrorName: string | undefined,
): Promise<void> {
  const task = await ports.reports.findTask(taskId);
  const failure = new TargetFailure("ABANDONED", lastErrorName === EngineKilled.name ? KILLED : undefined);
  if (task) await failTargets(ports, task, listUnfinished(task), failure);
}
