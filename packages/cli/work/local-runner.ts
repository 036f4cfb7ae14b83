import { mkdirSync } from "node:fs";
import { chmod, copyFile, mkdir, rename, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import {
  type AnalysisFormat,
  type AudioFormat,
  type DetectionFormat,
  EngineProcess,
  type EngineTarget,
  listEngineModels,
  type PROVIDER_SETTINGS,
  type TargetProgress,
  type TextFormat,
} from "@stemwright/engine";
import { CliError } from "../cli-error.ts";
import type { Job, JobHooks, Runner } from "./job.ts";
import { makeJobKey } from "./job-key.ts";
import { type PlannedOutput, planOutputPaths } from "./plan-output-paths.ts";
import type { Progress } from "./reporter.ts";
import { toBaseName, toSoundFormats, type WantedTarget } from "./wanted-target.ts";

type LocalOptions = {
  cacheDir: string;
  executionProvider: (typeof PROVIDER_SETTINGS)[number];
  modelsDir: string;
  onNotice(notice: string): void;
  /** Files that the jobs will read, as far as known. */
  reads: readonly string[];
};

/** Runs the engine on this machine. Checkpoints are kept in the cache folder until the input is done. */
export function openLocalRunner({
  cacheDir,
  executionProvider,
  modelsDir,
  onNotice,
  reads,
}: LocalOptions): Runner {
  const workRoot = join(cacheDir, "work");
  mkdirSync(workRoot, { recursive: true, mode: 0o700 });
  const needs = { read: reads.map((path) => resolve(path)), write: [workRoot] };
  const engine = new EngineProcess({ cacheDir, onNotice, executionProvider, modelsDir, needs });
  const installed = new Set(listEngineModels({ modelsDir }).map(({ id }) => id));

  async function run(job: Job, hooks: JobHooks): Promise<readonly PlannedOutput[]> {
    const missing = job.targets.find(({ model, network }) => network === undefined && !installed.has(model));
    if (missing)
      throw new CliError(
        "NOT_READY",
        `${missing.model} is not installed here: its weights are missing. stemwright models lists what is.`,
      );
    const workDir = join(workRoot, await makeJobKey(job.input));
    await mkdir(join(workDir, "out"), { recursive: true, mode: 0o700 });
    const failures: Error[] = [];
    let voiceCount = 0;
    const toMean = makeMean(job.targets.length);
    await engine.run(
      {
        inputPath: job.input,
        workDir: join(workDir, "engine"),
        targets: job.targets.map((target, index) => toEngineTarget(target, index, { job, workDir })),
      },
      {
        signal: hooks.signal,
        onProgress: (progress) => hooks.onProgress(toMean(progress)),
        onTargetDone: (_, result) => {
          voiceCount = result.voiceCount ?? voiceCount;
        },
        onTargetFailed: (_, error) => void failures.push(error),
      },
    );
    if (failures[0]) throw failures[0];
    const outputs = planOutputPaths(job, voiceCount);
    for (const output of outputs) await moveFile(toDraftPath(output, workDir), output.path);
    await rm(workDir, { recursive: true, force: true });
    return outputs;
  }
  return { run, close: () => engine.close() };
}

const toDraftPath = ({ name, format }: PlannedOutput, workDir: string) =>
  join(workDir, "out", `${name}.${format}`);

function toEngineTarget(
  target: WantedTarget,
  index: number,
  { job, workDir }: { job: Job; workDir: string },
): EngineTarget {
  const { model, variant, language, transcriptPath } = target;
  const common = { key: String(index), model, ...(variant === undefined ? {} : { variant }) };
  if (target.kind === "voices")
    return {
      ...common,
      kind: "voices",
      pathPrefix: join(workDir, "out", toBaseName(target)),
      formats: toSoundFormats(target) as AudioFormat[],
      hasResidual: target.residual === true,
    };
  const files = job.outputs
    .filter((output) => output.target === target)
    .map((output) => ({
      format: output.format,
      path: toDraftPath(output, workDir),
      output: output.name.endsWith("_residual") ? ("residual" as const) : ("stem" as const),
    }));
  const without = files.map(({ format, path }) => ({ format, path }));
  if (target.kind === "sound")
    return {
      ...common,
      kind: "sound",
      ...(target.network === undefined ? {} : { network: target.network }),
      files: files.map((file) => ({ ...file, format: file.format as AudioFormat })),
    };
  if (target.kind === "detection")
    return { ...common, kind: "detection", files: without as { format: DetectionFormat; path: string }[] };
  if (target.kind === "analysis")
    return { ...common, kind: "analysis", files: without as { format: AnalysisFormat; path: string }[] };
  return {
    ...common,
    kind: "text",
    ...(language === undefined ? {} : { language }),
    ...(transcriptPath === undefined ? {} : { transcriptPath }),
    files: without as { format: TextFormat; path: string }[],
  };
}

/** The mean of all targets, and the time until the last is done. Each report has the targets that advanced. */
function makeMean(count: number): (progress: readonly TargetProgress[]) => Progress {
  const latest = new Map<string, TargetProgress>();
  return (progress) => {
    for (const one of progress) latest.set(one.key, one);
    const all = [...latest.values()];
    const times = all.flatMap(({ secondsLeft }) => secondsLeft ?? []);
    return {
      fraction: all.reduce((sum, { fraction }) => sum + fraction, 0) / count,
      secondsLeft: times.length > 0 ? Math.max(...times) : undefined,
    };
  };
}

/** Another disk needs a copy; a reader sees the whole file or none. The engine's files are private; the user's get the usual permissions. */
async function moveFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await chmod(from, 0o666 & ~process.umask());
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    const draft = `${to}.part`;
    await copyFile(from, draft);
    await rename(draft, to);
    await rm(from);
  }
}
