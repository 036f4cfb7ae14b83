import { type Target, type Task, toMimeType } from "@stemwright/contract";
import { sumCredits } from "../credits/credit-amounts.ts";
import type { LinkSigner } from "../links.ts";
import { pickOptions } from "./pick-options.ts";
import { toShownDuration } from "./shown-duration.ts";
import type { OutputRecord, TargetRecord, TaskRecord } from "./task-record.ts";

export const toOutputFile = (output: OutputRecord, links: LinkSigner) => ({
  name: output.name,
  format: output.format,
  link: links.sign(output.blobKey),
  // There is video only if the input had some, so mp4 keeps the generic type.
  type: toMimeType(output.format),
  size: output.sizeBytes,
  ...(output.clippedSamples === undefined ? {} : { clippedSamples: output.clippedSamples }),
});

/** Progress of an unfinished target; a Task's targets wait and run together. */
function toAdvance({ progress, expectedAt }: TargetRecord, { isRunning, queuePosition }: TaskRecord) {
  const place = isRunning ? 0 : queuePosition;
  return {
    progress: Math.round(progress * 10_000) / 10_000,
    ...(place === undefined ? {} : { queuePosition: place }),
    ...(isRunning && expectedAt
      ? { etaSeconds: Math.max(0, Math.ceil((expectedAt.getTime() - Date.now()) / 1000)) }
      : {}),
  };
}

/** Rounded to a millisecond, as the times are. */
export const toShownOffset = ({ audioOffsetSeconds }: TargetRecord): Pick<Target, "audioOffset"> =>
  audioOffsetSeconds === undefined ? {} : { audioOffset: Number(audioOffsetSeconds.toFixed(3)) };

function toTarget(target: TargetRecord, task: TaskRecord, links: LinkSigner): Target {
  const { id, model, status, formats } = target;
  return {
    id,
    model,
    status,
    formats,
    output: target.output.map((output) => toOutputFile(output, links)),
    ...pickOptions(target),
    ...(task.url === undefined ? {} : { url: task.url }),
    ...(status === "completed"
      ? {
          cost: target.cost,
          duration: toShownDuration(target.durationSeconds ?? 0),
          ...toShownOffset(target),
        }
      : {}),
    ...(status === "error" ? { error: target.error } : {}),
    ...(status === "processing" ? toAdvance(target, task) : {}),
  };
}

/** The Task as every reader sees it: GET, list and webhook. Creates links, valid for an hour. */
export function toTask(task: TaskRecord, links: LinkSigner): Task {
  const { id, clientId, assetId, url, storageIntegrationId, writeDestination, metadata, priority } = task;
  const costs = task.targets.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  const optional = { assetId, url, storageIntegrationId, writeDestination, metadata, priority };
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
