import { basename, extname } from "node:path";
import type { Readable } from "node:stream";
import type { Caller } from "../accounts/caller.ts";
import { makeId } from "../ids.ts";
import type { Blobs } from "../ports.ts";
import { Refusal } from "../refusal.ts";
import { refuseField } from "../refuse-field.ts";
import type { StorageQuota } from "../storage/storage-quota.ts";
import type { AssetRecord } from "./asset-record.ts";
import { FORMAT_HEAD_BYTES } from "./content-format.ts";
import {
  ACCEPTED_FORMATS,
  type FormatHints,
  findDeclaredFormat,
  findFormatOfContent,
} from "./find-format.ts";
import { holdUpload } from "./hold-upload.ts";
import { peekStream } from "./peek-stream.ts";

const MAX_NAME_CHARACTERS = 255;
/** Name of a file sent without one. */
const NO_NAME = "file";

/** The base name, without bytes that headers or databases can't hold. */
export function toCleanName(filename: string): string {
  const name = basename(filename.toWellFormed().replaceAll("\\", "/"))
    .replace(/\p{Cc}/gu, "")
    .trim();
  return [...name].slice(-MAX_NAME_CHARACTERS).join("") || NO_NAME;
}

/** By the first bytes of a file whose name and type did not tell it. */
export function getFormat(
  hints: FormatHints & { name: string },
  head: Buffer,
  { isWhole }: { isWhole: boolean },
): string {
  const format = findFormatOfContent(hints, head, { isWhole });
  if (format !== undefined) return format;
  const message = `"${hints.name}" is not an accepted file: neither its name nor its content tells one of ${ACCEPTED_FORMATS.join(", ")}. Other audio can be converted first, for example to flac with: ffmpeg -i INPUT output.flac`;
  return refuseField("UPLOAD_FORMAT_UNSUPPORTED", { path: "file", message });
}

const toPathSegment = (name: string) => name.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 80) || "source";

/** Folder of an asset's stored file. */
export const toAssetFolder = (id: string) => `assets/${id}`;

export const toAssetKey = ({ id, name, format }: Pick<AssetRecord, "id" | "name" | "format">) =>
  `${toAssetFolder(id)}/${toPathSegment(basename(name, extname(name)))}.${format}`;

export type UploadContent = FormatHints & {
  /** The client's name for it, which it gets back. */
  name: string;
  content: Readable;
  maxBytes: number;
  /** Length of the file including any form around it, if known. */
  expectedBytes?: number | undefined;
};

const makeEmptyError = (name: string) =>
  new Refusal("UPLOAD_EMPTY", `"${name}" is empty; nothing was stored`);

/** The format, from names, content type or content; and the content, which may have been peeked into. */
async function openFormat(upload: UploadContent): Promise<{ format: string; content: Readable }> {
  const declared = findDeclaredFormat(upload);
  if (declared !== undefined) return { format: declared, content: upload.content };
  const { head, isWhole, content } = await peekStream(upload.content, FORMAT_HEAD_BYTES);
  if (head.length === 0) throw makeEmptyError(upload.name);
  try {
    return { format: getFormat(upload, head, { isWhole }), content };
  } catch (error) {
    content.destroy();
    throw error;
  }
}

/** Streams an upload into the store, within the client's quota. It becomes an asset once its row is written. */
export async function storeUpload(
  { blobs, quota }: { blobs: Blobs; quota: StorageQuota },
  caller: Caller,
  upload: UploadContent,
): Promise<AssetRecord> {
  const { name, maxBytes, expectedBytes } = upload;
  const { clientId } = caller;
  const { format, content } = await openFormat(upload);
  const id = makeId();
  const blobKey = toAssetKey({ id, name, format });
  try {
    const held = await holdUpload(quota, { id, clientId }, { content, expectedBytes });
    const { sizeBytes } = await blobs.write(blobKey, held, { maxBytes });
    if (sizeBytes === 0) {
      await blobs.delete(toAssetFolder(id));
      throw makeEmptyError(name);
    }
    return { id, clientId, name, format, sizeBytes, blobKey, createdAt: new Date() };
  } catch (error) {
    await quota.release(id);
    throw error;
  }
}
