import type { Upload, UploadPart } from "@stemwright/contract";
import type { AssetRecord } from "../assets/asset-record.ts";
import { type DirectParts, listParts, toPartialFile } from "./partial-files.ts";
import type { UploadRecord } from "./upload-record.ts";

/** Presigned URLs in one response. */
const PARTS_AT_ONCE = 100;

export const toUpload = (upload: UploadRecord): Upload => ({
  id: upload.id,
  name: upload.name,
  size: upload.sizeBytes,
  offset: upload.storedBytes,
  isReceiving: upload.isReceiving,
  ...(upload.fingerprint === undefined ? {} : { fingerprint: upload.fingerprint }),
  createdAt: upload.createdAt.toISOString(),
  expiresAt: upload.expiresAt.toISOString(),
});

/** An asset as the upload that it was. */
export const toFinishedUpload = ({ id, name, sizeBytes, createdAt }: AssetRecord): Upload => ({
  ...{ id, name, size: sizeBytes, offset: sizeBytes, isReceiving: false },
  createdAt: createdAt.toISOString(),
});

/** A direct upload with the parts that are missing. */
export async function loadDirectUpload(upload: UploadRecord, direct: DirectParts): Promise<Upload> {
  const file = toPartialFile(upload);
  const all = listParts(file, await direct.listSizes(file));
  const missing = all.filter(({ isStored }) => !isStored);
  const missingBytes = missing.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const sign = async (part: (typeof all)[number]): Promise<UploadPart> => ({
    ...{ number: part.number, start: part.startByte, size: part.sizeBytes },
    url: await direct.sign(file, part),
  });
  return {
    ...toUpload({ ...upload, storedBytes: upload.sizeBytes - missingBytes }),
    parts: await Promise.all(missing.slice(0, PARTS_AT_ONCE).map(sign)),
  };
}
