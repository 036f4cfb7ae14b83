import type { Caller } from "../accounts/caller.ts";
import type { ReadableMedia } from "../assets/asset-record.ts";
import { Refusal } from "../refusal.ts";
import { makeQuotaError, type StorageQuota } from "../storage/storage-quota.ts";

/** 32-bit float. */
const SAMPLE_BYTES = 4;

const toDecodedBytes = ({ durationSeconds = 0, sampleRateHz, channels }: ReadableMedia) =>
  Math.ceil(durationSeconds * sampleRateHz) * channels * SAMPLE_BYTES;

/** Refuses an asset whose header claims a decoded size above the server's limit. */
export function checkDecodedSize(facts: ReadableMedia, maxBytes: number): void {
  const decodedBytes = toDecodedBytes(facts);
  if (decodedBytes <= maxBytes) return;
  throw new Refusal(
    "MEDIA_TOO_LARGE",
    `The asset has ${decodedBytes} bytes of sound when it is decoded, and the server takes ${maxBytes}; send it in parts, or with a lower sample rate`,
  );
}

/** Refuses a Task that does not fit the client's quota: the decoded input, if its size is known, else if nothing is left at all. */
export async function checkRoom(
  quota: StorageQuota,
  { clientId }: Caller,
  facts: ReadableMedia | undefined,
): Promise<void> {
  const use = await quota.findQuota(clientId);
  if (use && use.usedBytes + Math.max(1, facts ? toDecodedBytes(facts) : 0) > use.quotaBytes)
    throw makeQuotaError(use);
}
