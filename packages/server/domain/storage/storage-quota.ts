import { Refusal } from "../refusal.ts";
/** A client's storage use; `heldBytes` are reserved for uploads and work in progress. */
export type StorageUse = { assetsBytes: number; outputsBytes: number; heldBytes: number };

export type QuotaUse = { quotaBytes: number; usedBytes: number };

/** What a hold is for: an asset, a target's outputs or the work on a Task, by its id. */
export type HoldPlace = { id: string; clientId: string };

/**
 * How much a client may store. Space is held before it is used, so that concurrent files can't all claim the same; a hold ends when the file is counted as
 * stored, or by `release`.
 */
export interface StorageQuota {
  /** Holds this many bytes, replacing the id's previous hold; returns the use if there is no room. */
  hold(place: HoldPlace, sizeBytes: number): Promise<QuotaUse | undefined>;
  release(id: string): Promise<void>;
  /** The use, excluding this id's hold; undefined for a client without a quota. */
  findQuota(clientId: string, exceptId?: string): Promise<QuotaUse | undefined>;
}

export const sumUse = ({ assetsBytes, outputsBytes, heldBytes }: StorageUse) =>
  assetsBytes + outputsBytes + heldBytes;

export const describeUse = ({ quotaBytes, usedBytes }: QuotaUse) =>
  `${usedBytes} of the ${quotaBytes} bytes that the account may store are taken. Delete assets or Tasks, or ask the operator for more`;

export const makeQuotaError = (use: QuotaUse) =>
  new Refusal("STORAGE_QUOTA_EXCEEDED", `There is no room for it: ${describeUse(use)}`);
