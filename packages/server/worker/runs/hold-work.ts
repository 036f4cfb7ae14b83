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
  /** How much of the disk the targets of an input take. */
  estimateWorkBytes(
    targets: readonly EngineTarget[],
    media: { durationSeconds: number; sampleRateHz: number; channels: number },
  ): number;
};

/** A header's length may be a guess. */
const SPARE_SECONDS = 60;

type HeldWork = {
  limits: { maxDecodedBytes: number; maxWorkBytes: number };
  /** Tells a failure of the engine for what it is when the limit was the client's quota. */
  explain(error: unknown): unknown;
};

const makeOverQuota = (use: QuotaUse) =>
  new TargetFailure("INPUT_OVER_QUOTA", `There is no room to work on the input: ${describeUse(use)}`);

/**
 * Sets room aside in the client's quota for the work on an input, before any is done, and gives what it may take: as much as the
 * file says and a little more where there is room, or all that is left where it does not say.
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
