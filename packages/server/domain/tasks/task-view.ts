import { MIME_TYPES, type Target, type Task } from "@stemwright/contract";
import { sumCredits } from "../credits.ts";
import type { OutputLinks } from "../storage/output-links.ts";
import type { OutputRecord, TargetRecord, TaskRecord } from "./task-record.ts";

const toOutputFile = async (output: OutputRecord, links: OutputLinks) => ({
  name: output.name,
  format: output.format,
  link: await links.sign(output.blobKey),
  // A picture comes along only when the input had one, so mp4 keeps the general type.
  type: MIME_TYPES[output.format] ?? "application/octet-stream",
  size: output.sizeBytes,
});

async function toTarget(target: TargetRecord, links: OutputLinks): Promise<Target> {
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
    output: await Promise.all(target.output.map((output) => toOutputFile(output, links))),
    ...supplied,
    ...(status === "completed" ? { cost: target.cost, duration: target.durationSeconds } : {}),
    ...(status === "error" ? { error: target.error } : {}),
    ...(status === "processing" ? { progress: target.progress } : {}),
  };
}

/** The Task as every reader sees it: GET, list and webhook alike. Links are made here, good for an hour. */
export async function toTask(task: TaskRecord, links: OutputLinks): Promise<Task> {
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
    targets: await Promise.all(task.targets.map((target) => toTarget(target, links))),
  };
}
