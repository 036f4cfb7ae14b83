import { join } from "node:path";
import { EngineError, type EngineProcess } from "@stemwright/engine";
import type { FastifyBaseLogger } from "fastify";
import { findCatalogueModel } from "../../domain/models/catalogue.ts";
import type { TargetRecord, TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskReports } from "../../domain/tasks/task-reports.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";
import type { PreviewStorer } from "../outputs/preview-storer.ts";
import type { StoreOutputsPorts } from "../outputs/store-outputs.ts";
import { openSpanLeader, type SpanLeaderPorts } from "../spans/span-leader.ts";
import { toEngineDir } from "../work-dirs/resume-elsewhere.ts";
import { type CoverInputPorts, coverInput, makeOverCredits } from "./cover-input.ts";
import { completeTarget, failTargets } from "./end-targets.ts";
import { toEngineTarget } from "./engine-target.ts";
import { type HoldWorkPorts, holdWork } from "./hold-work.ts";
import type { TaskWatch } from "./watch-task.ts";

export type RunEnginePorts = StoreOutputsPorts &
  CoverInputPorts &
  HoldWorkPorts &
  SpanLeaderPorts & {
    engine: Pick<EngineProcess, "run">;
    reports: TaskReports;
    log: FastifyBaseLogger;
  };

/** Targets of a Task that run together. */
export type TargetsWork = {
  task: TaskRecord;
  run: TaskRun;
  targets: TargetRecord[];
  taskDir: string;
  watch: TaskWatch;
  previews: PreviewStorer | undefined;
};

const limitOf = ({ model }: TargetRecord) => findCatalogueModel(model)?.maxInputDurationSeconds ?? 0;

/** Each model has its own limit: targets that the input is too long for fail, and the others run again without them. */
export async function runEngine(ports: RunEnginePorts, work: TargetsWork): Promise<void> {
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

async function runWithin(ports: RunEnginePorts, work: TargetsWork, limitSeconds: number): Promise<void> {
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
