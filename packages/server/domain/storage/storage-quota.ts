import { Refusal } from "../refusal.ts";
/** What a client's files take; `heldBytes` are set aside for files on their way and for work in progress. */
export type StorageUse = { assetsBytes: number; outputsBytes: number; heldBytes: number };

/** So much is taken of so much. */
export type QuotaUse = { quotaBytes: number; usedBytes: number };

/** What room is set aside for: an asset, a target's outputs or the work on a Task, by its id. */
export type HoldPlace = { id: string; clientId: string };

/**
 * How much a client may store. Room is set aside before it is used, so that files which come at once can't all find the
 * same; it is given free when the file is counted as stored, or by `release`.
 */
export interface StorageQuota {
  /** Sets so many bytes aside, in place of what the same id had; gives what is taken where there is no room. */
  hold(place: HoldPlace, sizeBytes: number): Promise<QuotaUse | undefined>;
  release(id: string): Promise<void>;
  /** What is taken, but for what this id has set aside; undefined for a client without a quota. */
  findQuota(clientId: string, exceptId?: string): Promise<QuotaUse | undefined>;
}

export const sumUse = ({ assetsBytes, outputsBytes, heldBytes }: StorageUse) =>
  assetsBytes + outputsBytes + heldBytes;

export const describeUse = ({ quotaBytes, usedBytes }: QuotaUse) =>
  `${usedBytes} of the ${quotaBytes} bytes that the account may store are taken. Delete assets or Tasks, or ask the operator for more`;

export const makeQuotaError = (use: QuotaUse) =>
  new Refusal("STORAGE_QUOTA_EXCEEDED", `There is no room for it: ${describeUse(use)}`);
