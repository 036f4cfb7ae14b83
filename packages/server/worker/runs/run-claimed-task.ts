import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { TARGET_ERRORS } from "@stemwright/contract";
import {
  EngineError,
  EngineKilled,
  type EngineProcess,
  type TargetProgress,
  type TargetResult,
} from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import { findCatalogueModel } from "../../domain/models/catalogue.ts";
import { mayHavePreviews } from "../../domain/previews/preview-record.ts";
import type { TargetAdvance, TargetRecord, TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import { RunLost, type TaskRun } from "../../domain/tasks/task-run.ts";
import type { KeptStems } from "../../media/kept-stems.ts";
import { findTargetFailure } from "../failures/engine-failure.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import { type FetchFilePorts, fetchInput } from "../inputs/fetch-input.ts";
import { fetchTranscript, hasTranscript } from "../inputs/fetch-transcript.ts";
import { type PreviewPorts, PreviewStorer } from "../outputs/preview-storer.ts";
import { type StoreOutputsPorts, storeOutputs } from "../outputs/store-outputs.ts";
import { dropSpans, openSpanLeader, type SpanLeaderPorts } from "../spans/span-leader.ts";
import { openWorkDir } from "../work-dirs/open-work-dir.ts";
import {
  bringCheckpoint,
  dropCheckpoint,
  type ResumePorts,
  toEngineDir,
} from "../work-dirs/resume-elsewhere.ts";
import { type CoverInputPorts, coverInput, makeOverCredits } from "./cover-input.ts";
import { planOutputs, toEngineTarget, transcriptPath } from "./engine-target.ts";
import { type HoldWorkPorts, holdWork } from "./hold-work.ts";
import { type NoteLengthPorts, noteLength } from "./note-length.ts";
import { spareTargets } from "./spare-targets.ts";

export type RunTaskPorts = FetchFilePorts &
  StoreOutputsPorts &
  Omit<CoverInputPorts & NoteLengthPorts, "probeDuration"> &
  HoldWorkPorts &
  PreviewPorts &
  ResumePorts &
  SpanLeaderPorts & {
    engine: Pick<EngineProcess, "run" | "close">;
    reports: TaskReports;
    keptStems: KeptStems;
    /** Whether previews are made. */
    hasPreviews: boolean;
    log: FastifyBaseLogger;
  };

/** How often progress is written, and how soon a cancelled or deleted Task is noticed. */
const WATCH_INTERVAL_MS = 1000;

/** Does all that is left to do of a Task. Safe to run again after any interruption: what is finished stays finished. */
export async function runTask(given: RunTaskPorts, run: TaskRun, signal: AbortSignal): Promise<void> {
  const ports = withOneProbe(given);
  const { taskId } = run;
  const task = await ports.reports.findTask(taskId);
  const targets = listUnfinished(task);
  if (task && targets.length > 0) {
    await ports.reports.startRun(run);
    const taskDir = await openWorkDir(ports.workDir, taskId);
    await bringCheckpoint(ports, task, taskDir);
    const watch = watchTask(ports, run, signal);
    const previews = await openPreviews(ports, { task, run, taskDir });
    const work = { task, run, taskDir, watch, previews };
    try {
      const sparing = spareTargets(ports);
      await tryTargets(sparing.ports, { ...work, targets }, signal);
      const spared = sparing.hasMadeRoom() ? listUnfinished(await ports.reports.findTask(taskId)) : [];
      if (spared.length > 0) await tryTargets(ports, { ...work, targets: spared }, signal);
    } finally {
      watch.stop();
      await previews?.stop();
      await ports.quota
        .release(taskId)
        .catch((error) => ports.log.warn({ err: error, taskId }, "failed to release a storage hold"));
    }
  }
  await rm(join(ports.workDir, taskId), { recursive: true, force: true });
  if (task) await dropCheckpoint(ports, task);
  await dropSpans(ports, taskId);
}

async function openPreviews(
  ports: RunTaskPorts,
  work: { task: TaskRecord; run: TaskRun; taskDir: string },
): Promise<PreviewStorer | undefined> {
  const isWanted = ports.hasPreviews && mayHavePreviews(work.task);
  return isWanted ? await PreviewStorer.open(ports, work) : undefined;
}

/** A Task's one input is looked into once, whoever asks what it is. */
function withOneProbe(given: RunTaskPorts) {
  let probed: ReturnType<RunTaskPorts["probeInput"]> | undefined;
  const probeInput = (path: string) => {
    probed ??= given.probeInput(path);
    return probed;
  };
  return {
    ...given,
    probeInput,
    probeDuration: async (path: string) => (await probeInput(path))?.durationSeconds,
  };
}
type RunPorts = ReturnType<typeof withOneProbe>;

const listUnfinished = (task: TaskRecord | undefined) =>
  task?.targets.filter(({ status }) => status === "processing") ?? [];

/** Where the work fails as a whole, so do the targets. */
async function tryTargets(ports: RunPorts, work: Work, signal: AbortSignal): Promise<void> {
  try {
    await runTargets(ports, work);
  } catch (error) {
    if (signal.aborted || work.watch.lost.aborted) throw error;
    if (!work.watch.signal.aborted) await failTargets(ports, work, error);
  }
}

type Watch = {
  signal: AbortSignal;
  /** Nothing is left to do of the Task. */
  over: AbortSignal;
  /** Another worker is at the Task. */
  lost: AbortSignal;
  report(progress: readonly TargetProgress[]): void;
  stop(): void;
};

/** Writes the progress down once a second, and ends the work when nothing is left to work for. */
function watchTask(ports: RunTaskPorts, run: TaskRun, signal: AbortSignal): Watch {
  const ended = new AbortController();
  const lost = new AbortController();
  const stopped = new AbortController();
  const reported = new Map<string, TargetProgress & { atMs: number }>();

  async function look(): Promise<void> {
    const advances = [...reported.values()].map(toAdvance);
    reported.clear();
    const state = await ports.reports.setProgress(run, advances);
    if (state === "over") ended.abort(new Error("nothing is left to do of the Task"));
    else if (state === "lost") lost.abort(new RunLost());
  }
  async function keepLooking(): Promise<void> {
    const { signal } = stopped;
    while (await wait(WATCH_INTERVAL_MS, true, { signal }).catch(() => false)) {
      await look().catch((error) =>
        ports.log.warn({ err: error, taskId: run.taskId }, "failed to write progress"),
      );
    }
  }
  void keepLooking();
  return {
    signal: AbortSignal.any([signal, ended.signal, lost.signal]),
    over: ended.signal,
    lost: lost.signal,
    report: (progress) => {
      for (const one of progress) reported.set(one.key, { ...one, atMs: performance.now() });
    },
    stop: () => stopped.abort(),
  };
}

/** The last estimate of the remaining time, less the time since then. */
function toAdvance({ key, fraction, secondsLeft, atMs }: TargetProgress & { atMs: number }): TargetAdvance {
  const passedSeconds = (performance.now() - atMs) / 1000;
  return { targetId: key, progress: fraction, secondsLeft: secondsLeft && secondsLeft - passedSeconds };
}

type Work = {
  task: TaskRecord;
  run: TaskRun;
  targets: TargetRecord[];
  taskDir: string;
  watch: Watch;
  previews: PreviewStorer | undefined;
};

async function runTargets(ports: RunPorts, work: Work): Promise<void> {
  const { task, taskDir, watch } = work;
  const inputPath = join(taskDir, "input");
  const targets = await fetchTranscripts(ports, work);
  if (targets.length === 0) return;
  // All of them wait for the input.
  const report = (fraction: number) => watch.report(targets.map(({ id }) => ({ key: id, fraction })));
  if (!(await isThere(inputPath))) await fetchInput(ports, task, inputPath, { signal: watch.signal, report });
  await noteLength(ports, { ...work, inputPath });
  await runEngine(ports, { ...work, targets });
}

const limitOf = ({ model }: TargetRecord) => findCatalogueModel(model)?.maxInputDurationSeconds ?? 0;

/** Each target has the limit of its model: those that the input is too long for end, the others go on. */
async function runEngine(ports: RunPorts, work: Work): Promise<void> {
  const limitSeconds = Math.min(...work.targets.map(limitOf));
  try {
    await runWithin(ports, work, limitSeconds);
  } catch (error) {
    const others = work.targets.filter((target) => limitOf(target) > limitSeconds);
    if (!isTooLong(error) || others.length === 0) throw error;
    const atLimit = work.targets.filter((target) => limitOf(target) === limitSeconds);
    await failTargets(ports, { ...work, targets: atLimit }, error);
    await runEngine(ports, { ...work, targets: others });
  }
}

const isTooLong = (error: unknown) => error instanceof EngineError && error.kind === "input-too-long";

async function runWithin(ports: RunPorts, work: Work, limitSeconds: number): Promise<void> {
  const { task, targets, taskDir, watch, previews } = work;
  const inputPath = join(taskDir, "input");
  const engineTargets = targets.map((target) => toEngineTarget(target, taskDir));
  const coveredSeconds = await coverInput(ports, task, { inputPath, limitSeconds });
  const held = await holdWork(ports, task, { inputPath, targets: engineTargets });
  await previews?.flush();
  const spans = openSpanLeader(ports, { ...work, signal: watch.signal });
  const running = ports.engine.run(
    {
      inputPath,
      workDir: toEngineDir(taskDir),
      targets: engineTargets,
      maxDurationSeconds: Math.min(limitSeconds, coveredSeconds),
      ...held.limits,
      cacheUser: { scope: task.clientId, owner: task.id },
      ...(previews && { previews: previews.request }),
      ...(spans && { spansFromSeconds: spans.fromSeconds }),
    },
    {
      signal: watch.signal,
      spans: spans?.hooks,
      onProgress: watch.report,
      onPreview: (news) => previews?.take(news),
      onTargetDone: async (targetId, result) => {
        const target = targets.find(({ id }) => id === targetId);
        if (!target) return;
        try {
          await completeTarget(ports, { ...work, target, result });
        } catch (error) {
          if (watch.signal.aborted) throw error;
          await failTargets(ports, { ...work, targets: [target] }, error);
        }
      },
      onTargetFailed: async (targetId, error) => {
        await failTargets(ports, { ...work, targets: targets.filter(({ id }) => id === targetId) }, error);
      },
    },
  );
  await running
    .catch((error: unknown) => {
      throw isTooLong(error) && coveredSeconds < limitSeconds
        ? makeOverCredits(coveredSeconds)
        : held.explain(error);
    })
    .finally(() => spans?.close());
}

/** The targets that have all they need; one whose transcript is unavailable fails here. */
async function fetchTranscripts(ports: RunTaskPorts, work: Work): Promise<TargetRecord[]> {
  const { task, targets, taskDir, watch } = work;
  const ready: TargetRecord[] = [];
  for (const target of targets) {
    const path = transcriptPath(target, taskDir);
    try {
      if (hasTranscript(target) && !(await isThere(path)))
        await fetchTranscript(ports, { task, target, path }, watch.signal);
      ready.push(target);
    } catch (error) {
      if (watch.signal.aborted) throw error;
      await failTargets(ports, { ...work, targets: [target] }, error);
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
    run,
    target,
    taskDir,
    result: { durationSeconds, clippedSamples = {}, voiceCount },
    watch,
    previews,
  }: Omit<Work, "targets"> & { target: TargetRecord; result: TargetResult },
): Promise<void> {
  const files = planOutputs(target, taskDir, voiceCount).map((file) => {
    const clipped = clippedSamples[file.path];
    return { ...file, ...(clipped === undefined ? {} : { clippedSamples: clipped }) };
  });
  const { signal, over } = watch;
  const stored = await storeOutputs(ports, { task, targetId: target.id, files, signal, over });
  // Whole when the Task is: a worker that dies behind its last target is not followed by another.
  await previews?.flush();
  // Whoever took the Task over ends its targets.
  if (!over.aborted) signal.throwIfAborted();
  const isEnded = await ports.reports.endTarget(run, target.id, {
    status: "completed",
    durationSeconds,
    output: stored.output,
  });
  if (!isEnded) return await stored.remove();
  const facts = { taskId: task.id, targetId: target.id, model: target.model };
  ports.log.info({ ...facts, durationSeconds }, "target completed");
  const clipped = files.filter((file) => file.clippedSamples !== undefined);
  for (const { name, format, clippedSamples: count } of clipped)
    ports.log.info(
      { ...facts, file: `${name}.${format}`, clippedSamples: count },
      "output clipped at full scale",
    );
}

/** Failures a client can understand end the targets; others are thrown, for another attempt. */
async function failTargets(
  ports: Pick<RunTaskPorts, "reports" | "log">,
  { run, targets }: Pick<Work, "run" | "targets">,
  error: unknown,
): Promise<void> {
  const failure = findTargetFailure(error);
  if (!failure) throw error;
  for (const target of targets) {
    const isEnded = await ports.reports.endTarget(run, target.id, {
      status: "error",
      error: { code: failure.code, message: failure.message },
    });
    if (!isEnded) continue;
    const facts = { taskId: run.taskId, targetId: target.id, code: failure.code, reason: failure.message };
    ports.log.warn(facts, "target failed");
    if (failure.code === TARGET_ERRORS.NOT_SET_UP.code) ports.log.error(facts, "operator action needed");
  }
}

const KILLED =
  "Every attempt at the Task failed on our side. The last time the engine was killed from outside, most likely because the machine ran out of memory: the operator can give it more, or run fewer workers on it (WORKERS).";

/** The end of a Task whose every attempt failed on our side, or took the worker with it. */
export async function abandonTask(
  ports: Pick<RunTaskPorts, "reports" | "log">,
  run: TaskRun,
  lastErrorName: string | undefined,
): Promise<void> {
  const targets = listUnfinished(await ports.reports.findTask(run.taskId));
  const failure = new TargetFailure("ABANDONED", lastErrorName === EngineKilled.name ? KILLED : undefined);
  await failTargets(ports, { run, targets }, failure);
}
