import { platform } from "#platform";
import { toStream } from "../http/stream-chunks.ts";

/** What can be uploaded: a path, a Blob or File, bytes, a web stream or a Node stream. */
export type UploadInput =
  | string
  | Blob
  | Uint8Array
  | ArrayBuffer
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>;

/** A normalised upload input. */
export type UploadSource = {
  name: string;
  type: string;
  sizeBytes: number | undefined;
  isOnce: boolean;
  open(part?: { start: number; end: number }): ReadableStream<Uint8Array>;
  /** When the file was changed, if it is one that a later process can send again. */
  modifiedAtMs?: number | undefined;
  /** Set if the input was a Blob or bytes. */
  blob: Blob | undefined;
};

const NAMELESS = "upload";
const UNKNOWN_TYPE = "application/octet-stream";

const isBlob = (input: UploadInput): input is Blob => typeof Blob !== "undefined" && input instanceof Blob;

function fromBlob(blob: Blob, name: string | undefined): UploadSource {
  return {
    name: name ?? (blob as { name?: string }).name ?? NAMELESS,
    type: blob.type || UNKNOWN_TYPE,
    sizeBytes: blob.size,
    isOnce: false,
    open: (part) => (part ? blob.slice(part.start, part.end) : blob).stream(),
    modifiedAtMs: (blob as { lastModified?: number }).lastModified,
    blob,
  };
}

export async function loadUploadSource(input: UploadInput, name?: string): Promise<UploadSource> {
  if (typeof input === "string") {
    const file = await platform.loadFile(input);
    const { sizeBytes, modifiedAtMs } = file;
    const shared = { type: UNKNOWN_TYPE, isOnce: false, blob: undefined };
    const open: UploadSource["open"] = (part) => toStream(file.open(part));
    return { ...shared, name: name ?? file.name, sizeBytes, modifiedAtMs, open };
  }
  if (isBlob(input)) return fromBlob(input, name);
  if (input instanceof Uint8Array || input instanceof ArrayBuffer)
    return fromBlob(new Blob([input as Uint8Array<ArrayBuffer>]), name);
  return {
    name: name ?? NAMELESS,
    type: UNKNOWN_TYPE,
    sizeBytes: undefined,
    isOnce: true,
    open: () => ("getReader" in input ? input : toStream(input)),
    blob: undefined,
  };
}
