import { MIME_TYPES, type Target, type Task } from "@stemwright/contract";
import { sumCredits } from "../credits.ts";
import type { LinkSigner } from "../links.ts";
import type { OutputRecord, TargetRecord, TaskRecord, TaskRun } from "./task-record.ts";

const toOutputFile = (output: OutputRecord, links: LinkSigner) => ({
  name: output.name,
  format: output.format,
  link: links.sign(output.blobKey),
  // A picture comes along only when the input had one, so mp4 keeps the general type.
  type: MIME_TYPES[output.format] ?? "application/octet-stream",
  size: output.sizeBytes,
});

/** Before a tenth is done, loading the network tells more of the time passed than the work does. */
const ETA_GAINED_MIN = 0.1;

/** Seconds until the run is through, if it goes on as it went; undefined before it has come any way. */
function findEtaSeconds({ progress, progressAt }: TargetRecord, run: TaskRun): number | undefined {
  const gained = progress - run.startProgress;
  if (progressAt === undefined || gained < ETA_GAINED_MIN) return undefined;
  const elapsedMs = Math.max(0, progressAt.getTime() - run.startedAt.getTime());
  const leftMs = (elapsedMs * (1 - progress)) / gained;
  const staleMs = Math.max(0, Date.now() - progressAt.getTime());
  return Math.ceil(Math.max(0, leftMs - staleMs) / 1000);
}

/** How far an unfinished target is; its Task's targets wait and run together. */
function toAdvance(target: TargetRecord, { run, queuePosition }: TaskRecord) {
  const place = run ? 0 : queuePosition;
  const etaSeconds = run && findEtaSeconds(target, run);
  return {
    progress: target.progress,
    ...(place === undefined ? {} : { queuePosition: place }),
    ...(etaSeconds === undefined ? {} : { etaSeconds }),
  };
}

function toTarget(target: TargetRecord, task: TaskRecord, links: LinkSigner): Target {
  const {
    id,
    model,
    status,
    formats,
    residual,
    variant,
    language,
    transcriptUrl,
    transcriptAssetId,
    bitDepth,
  } = target;
  const wishes = { residual, variant, language, transcriptUrl, transcriptAssetId, bitDepth };
  const supplied = Object.fromEntries(Object.entries(wishes).filter(([, value]) => value !== undefined));
  return {
    id,
    model,
    status,
    formats,
    output: target.output.map((output) => toOutputFile(output, links)),
    ...supplied,
    ...(status === "completed" ? { cost: target.cost, duration: target.durationSeconds } : {}),
    ...(status === "error" ? { error: target.error } : {}),
    ...(status === "processing" ? toAdvance(target, task) : {}),
  };
}

/** The Task as every reader sees it: GET, list and webhook alike. Links are made here, good for an hour. */
export function toTask(task: TaskRecord, links: LinkSigner): Task {
  const { id, clientId, assetId, url, storageIntegrationId, writeDestination, metadata } = task;
  const costs = task.targets.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const optional = { assetId, url, storageIntegrationId, writeDestination, metadata };
  return {
    id,
    createdAt: task.createdAt.toISOString(),
    completedAt: task.completedAt?.toISOString() ?? null,
    clientId,
    ...(costs.length > 0 ? { cost: sumCredits(costs) } : {}),
    ...Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== undefined)),
    targets: task.targets.map((target) => toTarget(target, task, links)),
  };
}
