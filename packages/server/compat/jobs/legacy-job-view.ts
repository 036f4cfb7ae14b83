import {
  type LegacyAsset,
  type LegacyJob,
  type LegacyJobStatus,
  type NewLegacyJob,
  toFileName,
  toMimeType,
} from "@stemwright/contract";
import type { AssetRecord } from "../../domain/assets/asset-record.ts";
import { toOutputAssetId } from "../../domain/assets/output-asset-id.ts";
import type { LinkSigner } from "../../domain/links.ts";
import type { LegacyJobRecord } from "../../domain/tasks/legacy-job-record.ts";

export function toLegacyAsset(asset: AssetRecord, links: LinkSigner): LegacyAsset {
  const { id, name, format, blobKey } = asset;
  return { id, name, fileType: toMimeType(format), format, link: links.sign(blobKey) };
}

function findStatus({ task, startedAt }: LegacyJobRecord): LegacyJobStatus {
  const status = task.targets[0]?.status;
  if (status === "completed") return "completed";
  if (status === "error") return "failed";
  return startedAt === null ? "created" : "processing";
}

function listOutputAssets({ task }: LegacyJobRecord, links: LinkSigner): LegacyAsset[] {
  return task.targets.flatMap((target) =>
    target.output.map(({ name, format, blobKey }, index) => ({
      id: toOutputAssetId(target.id, index),
      name: toFileName(name, format),
      fileType: toMimeType(format),
      format,
      link: links.sign(blobKey),
    })),
  );
}

/** The job in the response of POST /job. */
export function toNewLegacyJob(job: LegacyJobRecord): NewLegacyJob {
  const { task, requestId, metadata, callbackUrl } = job;
  return {
    id: task.id,
    clientId: task.clientId,
    requestId,
    metadata,
    ...(callbackUrl === undefined ? {} : { callbackUrl }),
    status: findStatus(job),
  };
}

/** The job as seen by every later reader. A callback about the start reports that status even if it is delivered after the end. */
export function toLegacyJob(
  job: LegacyJobRecord,
  links: LinkSigner,
  status: LegacyJobStatus = findStatus(job),
): LegacyJob {
  const { task, startedAt, sourceAsset } = job;
  const isEnded = status === "completed" || status === "failed";
  const updatedAt = (isEnded ? task.completedAt : null) ?? startedAt ?? task.createdAt;
  const outputAssets = status === "completed" ? listOutputAssets(job, links) : [];
  return {
    ...toNewLegacyJob(job),
    status,
    createdAt: task.createdAt.toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    updatedAt: updatedAt.toISOString(),
    statusInfo: status === "failed" ? { ...task.targets[0]?.error } : {},
    sourceAsset: sourceAsset ? toLegacyAsset(sourceAsset, links) : null,
    outputAssets,
    stemAssets: outputAssets,
  };
}
