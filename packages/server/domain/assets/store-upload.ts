import { basename, extname } from "node:path";
import type { Readable } from "node:stream";
import { ApiError, INPUT_FORMATS } from "@stemwright/contract";
import type { Caller } from "../caller.ts";
import { makeId } from "../ids.ts";
import type { Blobs } from "../ports.ts";
import { refuseField } from "../refuse-field.ts";
import type { AssetRecord } from "./asset-record.ts";

const ACCEPTED: readonly string[] = [...INPUT_FORMATS.audio, ...INPUT_FORMATS.video, ...INPUT_FORMATS.text];
const NAME_MAX_CHARACTERS = 255;

/** The file's own name without any folder, and without the bytes that neither headers nor databases hold. */
function toCleanName(filename: string): string {
  const name = basename(filename.toWellFormed().replaceAll("\\", "/"))
    .replace(/\p{Cc}/gu, "")
    .trim();
  return [...name].slice(-NAME_MAX_CHARACTERS).join("");
}

function getFormat(name: string): string {
  const format = extname(name).slice(1).toLowerCase();
  if (ACCEPTED.includes(format)) return format;
  const message = `"${name}" is not an accepted file. Its extension must be one of ${ACCEPTED.join(", ")}`;
  return refuseField("UPLOAD_FORMAT_UNSUPPORTED", { path: "file", message });
}

const toPathSegment = (name: string) => name.replace(/[^A-Za-z0-9_-]+/g, "-").slice(0, 80) || "source";

/** All that is stored of an asset: its file, and on disk the folder that the file has to itself. */
export const toAssetFolder = (id: string) => `assets/${id}`;

/** Streams an upload into the store. It is an asset once that is written down. */
export async function storeUpload(
  blobs: Blobs,
  caller: Caller,
  upload: { filename: string; content: Readable; maxBytes: number },
): Promise<AssetRecord> {
  const name = toCleanName(upload.filename);
  const format = getFormat(name);
  const id = makeId();
  const blobKey = `${toAssetFolder(id)}/${toPathSegment(basename(name, extname(name)))}.${format}`;
  const { sizeBytes } = await blobs.write(blobKey, upload.content, { maxBytes: upload.maxBytes });
  if (sizeBytes === 0) {
    await blobs.delete(toAssetFolder(id));
    throw new ApiError("UPLOAD_EMPTY", `"${name}" is empty; nothing was stored`);
  }
  return { id, clientId: caller.clientId, name, format, sizeBytes, blobKey, createdAt: new Date() };
}
