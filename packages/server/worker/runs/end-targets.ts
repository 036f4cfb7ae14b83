import { TARGET_ERRORS } from "@stemwright/contract";
import { EngineKilled, type TargetResult } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import { MIN_AUDIO_OFFSET_SECONDS } from "../../domain/tasks/audio-offset.ts";
import type { TargetRecord, TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";
import { findTargetFailure } from "../failures/engine-failure.ts";
import { TargetFailure } from "../failures/target-failure.ts";
import type { PreviewStorer } from "../outputs/preview-storer.ts";
import { type StoreOutputsPorts, storeOutputs } from "../outputs/store-outputs.ts";
import { planOutputs } from "./engine-target.ts";
import type { TaskWatch } from "./watch-task.ts";

type EndPorts = {
  reports: Pick<TaskReports, "findTask" | "endTarget">;
  log: Pick<FastifyBaseLogger, "info" | "warn" | "error">;
};

export const listUnfinished = (task: TaskRecord | undefined) =>
  task?.targets.filter(({ status }) => status === "processing") ?? [];

/** Stores the files before the row, so that a reader never sees a link to a missing file. */
export async function completeTarget(
  ports: EndPorts & StoreOutputsPorts,
  {
    task,
    run,
    target,
    taskDir,
    result: { durationSeconds, audioStartSeconds = 0, clippedSamples = {}, voiceCount },
    watch,
    previews,
  }: {
    task: TaskRecord;
    run: TaskRun;
    target: TargetRecord;
    taskDir: string;
    result: TargetResult;
    watch: TaskWatch;
    previews: PreviewStorer | undefined;
  },
): Promise<void> {
  const files = planOutputs(target, taskDir, voiceCount).map((file) => {
    const clipped = clippedSamples[file.path];
    return { ...file, ...(clipped === undefined ? {} : { clippedSamples: clipped }) };
  });
  const { signal, over } = watch;
  const stored = await storeOutputs(ports, { task, targetId: target.id, files, signal, over });
  // Before the row: if this worker dies after the last target ended, no other one takes the Task over and stores them.
  await previews?.flush();
  // If another worker took the Task over, it ends the targets.
  if (!over.aborted) signal.throwIfAborted();
  const isEnded = await ports.reports.endTarget(run, target.id, {
    status: "completed",
    durationSeconds,
    ...(audioStartSeconds < MIN_AUDIO_OFFSET_SECONDS ? {} : { audioOffsetSeconds: audioStartSeconds }),
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

/** Ends the targets if a client can understand the failure. Any other is thrown, and the Task is retried. */
export async function failTargets(
  ports: EndPorts,
  { run, targets }: { run: TaskRun; targets: readonly TargetRecord[] },
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

/** Ends a Task after its last attempt failed on our side or took the worker down. */
export async function abandonTask(
  ports: EndPorts,
  run: TaskRun,
  lastErrorName: string | undefined,
): Promise<void> {
  const targets = listUnfinished(await ports.reports.findTask(run.taskId));
  const failure = new TargetFailure("ABANDONED", lastErrorName === EngineKilled.name ? KILLED : undefined);
  await failTargets(ports, { run, targets }, failure);
}
