import type { StorageQuota } from "../../packages/server/domain/storage/storage-quota.ts";
import type { DiskRoom } from "../../packages/server/monitoring/disk-room.ts";
import type { HoldWorkPorts } from "../../packages/server/worker/runs/hold-work.ts";

export const noQuota: StorageQuota = {
  hold: async () => undefined,
  release: async () => {},
  findQuota: async () => undefined,
};

export const endlessRoom: DiskRoom = {
  look: async () => ({ freeBytes: Number.POSITIVE_INFINITY, usableBytes: Number.POSITIVE_INFINITY }),
  findShortage: async () => undefined,
  makeRoom: async () => 0,
};

/** For inputs of unknown length, and clients without a quota. */
export const withoutLimits: HoldWorkPorts & { room: DiskRoom } = {
  room: endlessRoom,
  quota: noQuota,
  sizeLimits: { decodedMaxBytes: 1e9, workMaxBytes: 1e9 },
  estimateWorkBytes: () => 0,
  probeInput: async () => undefined,
};
