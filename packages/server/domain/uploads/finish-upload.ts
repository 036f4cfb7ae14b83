import type { AssetRecord } from "../assets/asset-record.ts";
import { toAssetFolder } from "../assets/store-upload.ts";
import type { AssetStore } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import type { UnclaimedFiles } from "../storage/unclaimed-files.ts";
import { asOnlyWriter, type WriterPorts, type Writing } from "./as-only-writer.ts";
import { listParts, toPartialFile } from "./partial-files.ts";
import { type UploadPlace, type UploadRecord, unknownUpload } from "./upload-record.ts";

export type FinishPorts = WriterPorts & { unclaimed: UnclaimedFiles };

/** Turns an upload whose bytes are all stored into an asset. A process that dies at any point leaves what the next call completes. */
export async function finishUpload(
  { uploads, partials, unclaimed }: FinishPorts,
  { upload, token }: Pick<Writing, "upload" | "token">,
): Promise<AssetRecord> {
  const { id, clientId, name, sizeBytes } = upload;
  const file = toPartialFile(upload);
  await unclaimed.announce(toAssetFolder(id));
  await partials.finish(file);
  const asset = {
    ...{ id, clientId, name, sizeBytes, format: upload.format ?? "" },
    blobKey: file.key,
    createdAt: new Date(),
  };
  await uploads.finishUpload(token, asset);
  return asset;
}

async function countStored({ partials }: WriterPorts, upload: UploadRecord): Promise<number> {
  if (!upload.isDirect) return upload.storedBytes;
  const file = toPartialFile(upload);
  const parts = listParts(file, (await partials.direct?.listSizes(file)) ?? new Map());
  return parts.reduce((sum, part) => sum + (part.isStored ? part.sizeBytes : 0), 0);
}

/** The asset of a complete upload, however often it is asked for. */
export async function completeUpload(
  ports: FinishPorts & { assets: Pick<AssetStore, "findAsset"> },
  place: UploadPlace,
): Promise<AssetRecord> {
  const { clientId, id } = place;
  const known = await ports.assets.findAsset(clientId, id);
  if (known) return known;
  async function work(writing: Writing): Promise<AssetRecord> {
    const { upload } = writing;
    const storedBytes = await countStored(ports, upload);
    if (storedBytes < upload.sizeBytes)
      throw new Refusal(
        "UPLOAD_INCOMPLETE",
        `${storedBytes} of ${upload.sizeBytes} bytes are stored; send the rest first`,
      );
    return await finishUpload(ports, writing);
  }
  try {
    return await asOnlyWriter(ports, place, { work });
  } catch (error) {
    // Another request may have completed it while this one waited.
    const isGone = error instanceof Refusal && error.code === unknownUpload().code;
    const finished = isGone ? await ports.assets.findAsset(clientId, id) : undefined;
    if (finished) return finished;
    throw error;
  }
}
