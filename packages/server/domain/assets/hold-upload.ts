import { Readable } from "node:stream";
import { type HoldPlace, makeQuotaError, type StorageQuota } from "../storage/storage-quota.ts";

/** Held ahead of what has arrived, if there is room, so that not every chunk needs a query. */
const AHEAD_BYTES = 16 * 1024 ** 2;
/** Overhead of a form around its file. */
const FORM_BYTES = 64 * 1024;

async function holdSome(quota: StorageQuota, place: HoldPlace, sizeBytes: number): Promise<number> {
  if ((await quota.hold(place, sizeBytes + AHEAD_BYTES)) === undefined) return sizeBytes + AHEAD_BYTES;
  const shortage = await quota.hold(place, sizeBytes);
  if (shortage) throw makeQuotaError(shortage);
  return sizeBytes;
}

async function* passHeld(
  quota: StorageQuota,
  place: HoldPlace,
  { content, heldBytes }: { content: Readable; heldBytes: number },
): AsyncGenerator<Buffer> {
  let sizeBytes = 0;
  let held = heldBytes;
  for await (const chunk of content) {
    sizeBytes += (chunk as Buffer).length;
    if (sizeBytes > held) held = await holdSome(quota, place, sizeBytes);
    yield chunk as Buffer;
  }
}

/**
 * A file on its way to the store, with a hold on the client's quota: for its whole length at the start if that is known, so that of many concurrent uploads
 * some fit instead of each fitting half, otherwise as it arrives.
 */
export async function holdUpload(
  quota: StorageQuota,
  place: HoldPlace,
  { content, expectedBytes }: { content: Readable; expectedBytes?: number | undefined },
): Promise<Readable> {
  if ((await quota.findQuota(place.clientId)) === undefined) return content;
  let heldBytes = 0;
  if (expectedBytes !== undefined) {
    const shortage = await quota.hold(place, expectedBytes);
    const leastBytes = expectedBytes - FORM_BYTES;
    if (shortage && shortage.usedBytes + leastBytes > shortage.quotaBytes) throw makeQuotaError(shortage);
    if (!shortage) heldBytes = expectedBytes;
  }
  return Readable.from(passHeld(quota, place, { content, heldBytes }), { objectMode: false });
}
