import type { StorageQuota } from "../../packages/server/domain/storage/storage-quota.ts";
import type { HoldWorkPorts } from "../../packages/server/worker/runs/hold-work.ts";

export const noQuota: StorageQuota = {
  hold: async () => undefined,
  release: async () => {},
  findQuota: async () => undefined,
};

/** For inputs of unknown length, and clients without a quota. */
export const withoutLimits: HoldWorkPorts = {
  quota: noQuota,
  sizeLimits: { decodedMaxBytes: 1e9, workMaxBytes: 1e9 },
  estimateWorkBytes: () => 0,
  probeInput: async () => undefined,
};
