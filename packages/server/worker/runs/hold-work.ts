import type { EngineTarget } from "@stemwright/engine";
import { EngineError } from "@stemwright/engine";
import { describeUse, type QuotaUse, type StorageQuota } from "../../domain/storage/storage-quota.ts";
import type { TaskRecord } from "../../domain/tasks/task-record.ts";
import { TargetFailure } from "../failures/target-failure.ts";

/** What a probe of an input returns. */
export type ProbedInput = { durationSeconds?: number | undefined; sampleRateHz: number; channels: number };

export type HoldWorkPorts = {
  quota: StorageQuota;
  sizeLimits: { decodedMaxBytes: number; workMaxBytes: number };
  probeInput(path: string): Promise<ProbedInput | undefined>;
  /** How much disk space the targets need. */
  estimateWorkBytes(
    targets: readonly EngineTarget[],
    media: { durationSeconds: number; sampleRateHz: number; channels: number },
  ): number;
};

/** The length in a header may be an estimate. */
const SPARE_SECONDS = 60;

type HeldWork = {
  limits: { maxDecodedBytes: number; maxWorkBytes: number };
  /** Replaces an engine error by a quota error if the quota was the limit. */
  explain(error: unknown): unknown;
};

const makeOverQuota = (use: QuotaUse) =>
  new TargetFailure("INPUT_OVER_QUOTA", `There is no room to work on the input: ${describeUse(use)}`);

/**
 * Reserves quota for the work on an input before it starts, and returns the limits: what the length in the header needs plus a margin, or
 * everything left if the length is unknown.
 */
export async function holdWork(
  ports: HoldWorkPorts,
  task: TaskRecord,
  { inputPath, targets }: { inputPath: string; targets: readonly EngineTarget[] },
): Promise<HeldWork> {
  const { decodedMaxBytes, workMaxBytes } = ports.sizeLimits;
  const allowed = { maxDecodedBytes: decodedMaxBytes, maxWorkBytes: workMaxBytes };
  const use = await ports.quota.findQuota(task.clientId, task.id);
  if (!use) return { limits: allowed, explain: (error) => error };
  const roomBytes = Math.max(0, use.quotaBytes - use.usedBytes);
  const { needed, wanted } = await estimate(ports, { inputPath, targets });
  const heldBytes = Math.min(wanted, roomBytes, workMaxBytes);
  if (Math.min(needed, workMaxBytes) > roomBytes) throw makeOverQuota(use);
  const shortage = await ports.quota.hold({ id: task.id, clientId: task.clientId }, heldBytes);
  if (shortage) throw makeOverQuota(shortage);
  return {
    limits: { maxDecodedBytes: Math.min(decodedMaxBytes, heldBytes), maxWorkBytes: heldBytes },
    explain: (error) =>
      error instanceof EngineError && error.kind === "input-too-large" && heldBytes < workMaxBytes
        ? makeOverQuota(use)
        : error,
  };
}

async function estimate(
  ports: HoldWorkPorts,
  { inputPath, targets }: { inputPath: string; targets: readonly EngineTarget[] },
): Promise<{ needed: number; wanted: number }> {
  const probed = await ports.probeInput(inputPath);
  if (probed?.durationSeconds === undefined) return { needed: 1, wanted: Number.POSITIVE_INFINITY };
  const { durationSeconds, sampleRateHz, channels } = probed;
  const bytesOf = (seconds: number) =>
    ports.estimateWorkBytes(targets, { durationSeconds: seconds, sampleRateHz, channels });
  return { needed: bytesOf(durationSeconds), wanted: bytesOf(durationSeconds + SPARE_SECONDS) };
}
