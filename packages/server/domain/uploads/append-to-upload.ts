import type { Readable } from "node:stream";
import { FORMAT_HEAD_BYTES } from "../assets/content-format.ts";
import { peekStream } from "../assets/peek-stream.ts";
import { getFormat } from "../assets/store-upload.ts";
import { Refusal } from "../refusal.ts";
import { asOnlyWriter, type Writing } from "./as-only-writer.ts";
import { type FinishPorts, finishUpload } from "./finish-upload.ts";
import { type PartialWriter, toPartialFile } from "./partial-files.ts";
import type { UploadPlace, UploadRecord } from "./upload-record.ts";

/** A request's body. Its content ends where the connection breaks or the signal aborts, so that what arrived before is kept. */
export type IncomingBytes = { content: Readable; findFault(): unknown };

export type Piece = {
  offset: number;
  /** Undefined for a chunked body. */
  sizeBytes: number | undefined;
  open(signal: AbortSignal): IncomingBytes;
};

function checkPiece(upload: UploadRecord, { offset, sizeBytes = 0 }: Piece): void {
  if (upload.isDirect)
    throw new Refusal(
      "REQUEST_INVALID",
      "This upload is direct: PUT its parts to the URLs of GET /uploads/{id}",
    );
  if (offset !== upload.storedBytes)
    throw new Refusal(
      "UPLOAD_OFFSET_WRONG",
      `Upload-Offset is ${offset}, but ${upload.storedBytes} bytes are stored; send on from there`,
    );
  if (offset + sizeBytes > upload.sizeBytes) throw makeTooLong(upload);
}

const makeTooLong = ({ sizeBytes }: UploadRecord) =>
  new Refusal("UPLOAD_TOO_LARGE", `More bytes than the ${sizeBytes} that Upload-Length announced`);

/** Finds the format by the first bytes, if nothing else told it, and begins the file in the store. */
async function begin(
  { partials }: FinishPorts,
  { upload, record }: Writing,
  { content, findFault }: IncomingBytes,
): Promise<{ upload: UploadRecord; content: Readable }> {
  let known = upload;
  let rest = content;
  if (upload.format === undefined) {
    const peeked = await peekStream(content, FORMAT_HEAD_BYTES);
    if (peeked.isWhole && findFault()) throw findFault();
    const isWhole = peeked.head.length === upload.sizeBytes;
    known = { ...upload, format: getFormat({ ...upload, names: [upload.name] }, peeked.head, { isWhole }) };
    rest = peeked.content;
  }
  if (known.multipartId === undefined)
    known = { ...known, multipartId: await partials.begin(toPartialFile(known)) };
  if (known !== upload) await record({ format: known.format, multipartId: known.multipartId });
  return { upload: known, content: rest };
}

async function writeAll(
  { upload, renewWith }: Pick<Writing, "upload" | "renewWith">,
  writer: PartialWriter,
  content: Readable,
): Promise<void> {
  let offset = upload.storedBytes;
  let renewedAt = offset;
  renewWith(async () => {
    const hasReceived = offset > renewedAt;
    renewedAt = offset;
    return { storedBytes: await writer.sync(), hasReceived };
  });
  for await (const chunk of content as AsyncIterable<Buffer>) {
    offset += chunk.length;
    if (offset > upload.sizeBytes) throw makeTooLong(upload);
    await writer.write(chunk);
  }
}

/**
 * Stores a piece of a file, from an offset on; the last one makes the asset. Whatever arrives before a failure is kept. Returns how many bytes are
 * stored.
 */
export async function appendToUpload(
  ports: FinishPorts,
  place: UploadPlace,
  { piece, signal }: { piece: Piece; signal?: AbortSignal | undefined },
): Promise<number> {
  async function work(writing: Writing) {
    checkPiece(writing.upload, piece);
    const bytes = piece.open(writing.signal);
    try {
      const { upload, content } = await begin(ports, writing, bytes);
      const writer = await ports.partials.open(toPartialFile(upload), piece.offset);
      let storedBytes = piece.offset;
      try {
        await writeAll({ ...writing, upload }, writer, content);
      } finally {
        storedBytes = await writer.close();
        await writing.record({ storedBytes });
      }
      if (bytes.findFault()) throw bytes.findFault();
      if (storedBytes === upload.sizeBytes) await finishUpload(ports, { ...writing, upload });
      return storedBytes;
    } finally {
      bytes.content.destroy();
    }
  }
  return await asOnlyWriter(ports, place, { work, signal });
}
