import { Readable } from "node:stream";
import { type HoldPlace, makeQuotaError, type StorageQuota } from "../storage/storage-quota.ts";

/** So much more than has come is set aside at once, where there is room, so that not every chunk asks the database. */
const AHEAD_BYTES = 16 * 1024 ** 2;
/** What a form may add to its file. */
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
 * A file on its way to the store, with room set aside for it in the client's quota: for all of it at the start where its length
 * is known, so that of many that come at once some find room and not each of them half, otherwise as it comes.
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
