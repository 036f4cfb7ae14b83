import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { mayHavePreviews } from "../../domain/previews/preview-record.ts";
import type { TargetRecord, TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";
import type { KeptStems } from "../../media/kept-stems.ts";
import { type FetchFilePorts, fetchInput } from "../inputs/fetch-input.ts";
import { fetchTranscript, hasTranscript } from "../inputs/fetch-transcript.ts";
import { type PreviewPorts, PreviewStorer } from "../outputs/preview-storer.ts";
import { dropSpans } from "../spans/span-leader.ts";
import { openWorkDir } from "../work-dirs/open-work-dir.ts";
import { bringCheckpoint, dropCheckpoint, type ResumePorts } from "../work-dirs/resume-elsewhere.ts";
import { failTargets, listUnfinished } from "./end-targets.ts";
import { transcriptPath } from "./engine-target.ts";
import { type NoteLengthPorts, noteLength } from "./note-length.ts";
import { type RunEnginePorts, runEngine, type TargetsWork } from "./run-engine.ts";
import { spareTargets } from "./spare-targets.ts";
import { watchTask } from "./watch-task.ts";

export type RunTaskPorts = FetchFilePorts &
  Omit<RunEnginePorts & NoteLengthPorts, "probeDuration"> &
  PreviewPorts &
  ResumePorts & {
    keptStems: KeptStems;
    hasPreviews: boolean;
  };

/** Does everything left to do for a Task. Safe to repeat after any interruption: finished targets stay finished. */
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

/** Probes the input once, however often the result is needed. */
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

/** If the run fails as a whole, all its targets fail. */
async function tryTargets(ports: RunPorts, work: TargetsWork, signal: AbortSignal): Promise<void> {
  try {
    await runTargets(ports, work);
  } catch (error) {
    if (signal.aborted || work.watch.lost.aborted) throw error;
    if (!work.watch.signal.aborted) await failTargets(ports, work, error);
  }
}

async function runTargets(ports: RunPorts, work: TargetsWork): Promise<void> {
  const { task, taskDir, watch } = work;
  const inputPath = join(taskDir, "input");
  const targets = await fetchTranscripts(ports, work);
  if (targets.length === 0) return;
  // All targets wait for the input, so its progress is theirs.
  const report = (fraction: number) => watch.report(targets.map(({ id }) => ({ key: id, fraction })));
  if (!(await isThere(inputPath))) await fetchInput(ports, task, inputPath, { signal: watch.signal, report });
  await noteLength(ports, { ...work, inputPath });
  await runEngine(ports, { ...work, targets });
}

/** Returns the targets that are ready to run; one whose transcript is unavailable fails here. */
async function fetchTranscripts(ports: RunTaskPorts, work: TargetsWork): Promise<TargetRecord[]> {
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
