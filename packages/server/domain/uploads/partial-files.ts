import { toAssetKey } from "../assets/store-upload.ts";
import type { UploadRecord } from "./upload-record.ts";

/** An unfinished file: `key` is where it will be. */
export type PartialFile = {
  id: string;
  key: string;
  sizeBytes: number;
  partBytes: number;
  multipartId?: string | undefined;
};

/** Writes on from an offset. */
export interface PartialWriter {
  write(chunk: Buffer): Promise<void>;
  /** Returns how many bytes of the file survive a crash by now; may be called while a write is in progress. */
  sync(): Promise<number>;
  /** Stores what was written so far and returns its offset. After a failed write that is what was stored before it. */
  close(): Promise<number>;
}

/** Parts that clients send to the bucket themselves. */
export interface DirectParts {
  /** Sizes of the stored parts, by number from 1. */
  listSizes(file: PartialFile): Promise<Map<number, number>>;
  /** A presigned URL that takes exactly this part. */
  sign(file: PartialFile, part: { number: number; sizeBytes: number }): Promise<string>;
}

/** What is stored of unfinished files. All calls may be repeated. Those about files that are gone throw `PartialFileLost`. */
export interface PartialFiles {
  /** Returns the id of a multipart upload, if the store needs one. */
  begin(file: PartialFile): Promise<string | undefined>;
  open(file: PartialFile, offset: number): Promise<PartialWriter>;
  /** Makes the complete file visible under its key. */
  finish(file: PartialFile): Promise<void>;
  abort(file: PartialFile): Promise<void>;
  /** Undefined where clients can't reach the store. */
  direct?: DirectParts | undefined;
}

/** The stored bytes of an upload are gone, for example because only the database was restored. */
export class PartialFileLost extends Error {
  override readonly name = "PartialFileLost";
}

/** Where the store keeps an unfinished file, or what it needs for it. */
export const toPartialKey = (id: string) => `uploads/${id}`;

/** S3's minimum: the API holds two of them in memory for each upload. */
const PART_BYTES = 5 * 1024 ** 2;
/** Clients that send parts themselves send fewer and larger ones. */
const DIRECT_PART_BYTES = 16 * 1024 ** 2;
/** S3's maximum. */
const MAX_PARTS = 10_000;

export const toPartBytes = ({ sizeBytes, isDirect }: { sizeBytes: number; isDirect: boolean }) =>
  Math.max(
    isDirect ? DIRECT_PART_BYTES : PART_BYTES,
    Math.ceil(sizeBytes / MAX_PARTS / 1024 ** 2) * 1024 ** 2,
  );

/** The parts of a file in order, and which of them are stored with the right size. */
export function listParts({ sizeBytes, partBytes }: PartialFile, stored: ReadonlyMap<number, number>) {
  return Array.from({ length: Math.ceil(sizeBytes / partBytes) }, (_, index) => {
    const startByte = index * partBytes;
    const partSize = Math.min(partBytes, sizeBytes - startByte);
    const number = index + 1;
    return { number, startByte, sizeBytes: partSize, isStored: stored.get(number) === partSize };
  });
}

/** Of an upload whose format is known. */
export const toPartialFile = (upload: UploadRecord): PartialFile => ({
  id: upload.id,
  key: toAssetKey({ ...upload, format: upload.format ?? "" }),
  sizeBytes: upload.sizeBytes,
  partBytes: upload.partBytes,
  multipartId: upload.multipartId,
});
