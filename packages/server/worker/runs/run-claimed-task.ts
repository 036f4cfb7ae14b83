import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { mayHavePreviews } from "../../domain/previews/preview-record.ts";
import type { TargetRecord, TaskRecord } from "../../domain/tasks/task-record.ts";
import type { TaskRun } from "../../domain/tasks/task-run.ts";
import { type FetchFilePorts, fetchInput } from "../inputs/fetch-input.ts";
import { fetchTranscript, hasTranscript } from "../inputs/fetch-transcript.ts";
import { PreviewStorer, type PreviewStorerPorts } from "../outputs/preview-storer.ts";
import { dropSpans } from "../spans/span-leader.ts";
import { openWorkDir } from "../work-dirs/open-work-dir.ts";
import { endPromise } from "../work-dirs/promised-room.ts";
import { bringCheckpoint, dropCheckpoint, type ResumePorts } from "../work-dirs/resume-elsewhere.ts";
import { failTargets, listUnfinished } from "./end-targets.ts";
import { toEngineTarget, transcriptPath } from "./engine-target.ts";
import type { ProbedInput } from "./hold-work.ts";
import { type NoteLengthPorts, noteLength } from "./note-length.ts";
import { estimateTaskBytes, type ReserveRoomPorts, reserveRoom } from "./reserve-room.ts";
import { type RunEnginePorts, runEngine, type TargetsWork } from "./run-engine.ts";
import { watchTask } from "./watch-task.ts";

export type RunTaskPorts = FetchFilePorts &
  Omit<RunEnginePorts & NoteLengthPorts, "probeDuration"> &
  PreviewStorerPorts &
  ResumePorts &
  ReserveRoomPorts;

/** Does everything left to do for a Task. Safe to repeat after any interruption: finished targets stay finished. */
export async function runClaimedTask(given: RunTaskPorts, run: TaskRun, signal: AbortSignal): Promise<void> {
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
      await tryTargets(ports, { ...work, targets }, signal);
    } finally {
      await endPromise(taskDir);
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
  const hasEstimate = await reserveForAsset(ports, work);
  const targets = await fetchTranscripts(ports, work);
  if (targets.length === 0) return;
  // All targets wait for the input, so its progress is theirs.
  const report = (fraction: number) => watch.report(targets.map(({ id }) => ({ key: id, fraction })));
  if (!(await isThere(inputPath))) await fetchInput(ports, task, inputPath, { signal: watch.signal, report });
  if (!hasEstimate) await reserveForInput(ports, { ...work, targets });
  await noteLength(ports, { ...work, inputPath });
  await runEngine(ports, { ...work, targets });
}

/** Before anything is fetched, if the input was probed when the Task was created; false if it was not. */
async function reserveForAsset(ports: RunPorts, work: TargetsWork): Promise<boolean> {
  const { clientId, assetId = "" } = work.task;
  const asset = await ports.assets.findAsset(clientId, assetId);
  const { media, sizeBytes = 0 } = asset ?? {};
  return await reserveForMedia(ports, work, media?.isReadable ? { ...media, inputBytes: sizeBytes } : {});
}

async function reserveForInput(ports: RunPorts, work: TargetsWork): Promise<void> {
  // Its copy is on the disk already.
  await reserveForMedia(ports, work, {
    ...(await ports.probeInput(join(work.taskDir, "input"))),
    inputBytes: 0,
  });
}

async function reserveForMedia(
  ports: RunPorts,
  work: TargetsWork,
  {
    durationSeconds,
    sampleRateHz = 0,
    channels = 0,
    inputBytes = 0,
  }: Partial<ProbedInput> & { inputBytes?: number },
): Promise<boolean> {
  const targets = work.targets.map((target) => toEngineTarget(target, work.taskDir));
  const isKnown = durationSeconds !== undefined;
  const estimatedBytes = isKnown
    ? estimateTaskBytes(ports, { ...work, targets }, { durationSeconds, sampleRateHz, channels, inputBytes })
    : undefined;
  await reserveRoom(ports, work, estimatedBytes);
  return isKnown;
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
