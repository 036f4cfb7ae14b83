import { createReadStream, createWriteStream } from "node:fs";
import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { addAbortSignal, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { EncodingError, makeDecoders } from "../../net/content-encoding.ts";
import { findReason } from "../../net/find-reason.ts";
import { limitBytes } from "../../streams/limit-bytes.ts";
import { type Retry, waitForRetry } from "../../waiting/retry.ts";
import { TargetFailure } from "../failures/target-failure.ts";

/** Content from `startByte` on; 0 if it has to be read from the start. */
export type FilePart = {
  content: Readable;
  startByte: number;
  sizeBytes: number | undefined;
  version: string | undefined;
  contentEncoding?: string | undefined;
};

export type Download = {
  /** Opens the file after what was already read, if it is still the same version. */
  openPart(from: { startByte: number; version: string | undefined }): Promise<FilePart>;
  /** Whether the failure may be retried, and the earliest time. */
  findRetry(error: unknown): Retry | undefined;
  /** Delays between retries that make no progress; their number limits those retries. */
  delaysMs: readonly number[];
  what: "input" | "transcript";
  path: string;
  maxBytes: number;
  signal: AbortSignal;
  onProgress(fraction: number): void;
};

/** A longer Retry-After is not waited for. */
const MAX_WAIT_MS = 120_000;
/** However much each retry brings, so that no server can hold a worker forever. */
const MAX_RETRIES = 20;

/** The content broke off or ended early. */
class CutShort extends Error {}

/**
 * Downloads a file to a local path. A broken transfer resumes where it broke, or restarts if it can't; temporary failures are retried with
 * backoff. The size limit holds before and after decoding.
 */
export async function downloadFile(download: Download): Promise<void> {
  const file = await open(download.path, "w", 0o600);
  let contentEncoding: string | undefined;
  try {
    contentEncoding = await receive(download, file);
  } finally {
    await file.close();
  }
  const decodedPath = `${download.path}.decoded`;
  try {
    const limit = () => limitBytes(download.maxBytes, () => makeTooLarge(download));
    const decoders = makeDecoders(contentEncoding, limit);
    if (decoders.length === 0) return;
    const source = createReadStream(download.path);
    const target = createWriteStream(decodedPath, { mode: 0o600 });
    await pipeline([source, ...decoders, target], { signal: download.signal });
    await rename(decodedPath, download.path);
  } catch (error) {
    const fail = (why: string) => new TargetFailure("INPUT_FETCH_FAILED", `The ${download.what} ${why}`);
    if (error instanceof EncodingError) throw fail(error.message);
    throw isDecodingError(error) ? fail(`is not the ${contentEncoding} its server says it is`) : error;
  } finally {
    await rm(decodedPath, { force: true });
  }
}

const makeTooLarge = ({ what, maxBytes }: Download) =>
  new TargetFailure("INPUT_TOO_LARGE", `The ${what} has more than ${maxBytes} bytes`);

const isDecodingError = (error: unknown) =>
  /^(Z_|ERR__ERROR|ERR_BROTLI|ERR_ZSTD|ZSTD)/.test(String((error as NodeJS.ErrnoException).code));

/** Returns the content encoding once everything is in the file. */
async function receive(download: Download, file: FileHandle): Promise<string | undefined> {
  const { signal, delaysMs } = download;
  const state: Received = { bytes: 0, version: undefined };
  let mostBytes = 0;
  let fruitless = 0;
  for (let retries = 0; ; retries += 1) {
    try {
      return await receivePart(download, file, state);
    } catch (error) {
      signal.throwIfAborted();
      fruitless = state.bytes > mostBytes ? 0 : fruitless + 1;
      mostBytes = Math.max(mostBytes, state.bytes);
      const retry = error instanceof CutShort ? { afterMs: 0 } : download.findRetry(error);
      const delayMs = retries < MAX_RETRIES ? delaysMs[Math.max(0, fruitless - 1)] : undefined;
      if (await waitForRetry({ retry, delayMs, longestMs: MAX_WAIT_MS, signal })) continue;
      throw error instanceof CutShort
        ? new TargetFailure(
            "INPUT_FETCH_FAILED",
            `The ${download.what} could not be fetched: ${error.message}`,
          )
        : error;
    }
  }
}

/** Wraps errors of the content, to tell them apart from errors of whoever writes it. */
async function* readUntilBreak(content: Readable): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of content) yield chunk as Buffer;
  } catch (error) {
    throw new CutShort(findReason(error).message, { cause: error });
  }
}

type Received = { bytes: number; version: string | undefined };

async function receivePart(
  download: Download,
  file: FileHandle,
  received: Received,
): Promise<string | undefined> {
  const isKnown = received.version !== undefined;
  const part = await download.openPart({
    startByte: isKnown ? received.bytes : 0,
    version: received.version,
  });
  try {
    received.version = part.version;
    received.bytes = part.startByte;
    await file.truncate(part.startByte);
    await takePart(download, { file, received, part });
  } finally {
    // Unread content would keep its connection open.
    part.content.on("error", () => {}).destroy();
  }
  return part.contentEncoding;
}

async function takePart(
  download: Download,
  { file, received, part }: { file: FileHandle; received: Received; part: FilePart },
): Promise<void> {
  const { maxBytes, signal, onProgress } = download;
  const { sizeBytes = Number.POSITIVE_INFINITY } = part;
  if (part.sizeBytes !== undefined && sizeBytes > maxBytes) throw makeTooLarge(download);
  // Written chunk by chunk: unlike with a pipeline, everything that arrived before a failure is kept.
  for await (const chunk of readUntilBreak(addAbortSignal(signal, part.content))) {
    if (received.bytes + chunk.length > maxBytes) throw makeTooLarge(download);
    if (received.bytes + chunk.length > sizeBytes)
      throw new TargetFailure(
        "INPUT_FETCH_FAILED",
        `The ${download.what} has more than the ${sizeBytes} bytes announced`,
      );
    for (let at = 0; at < chunk.length; ) {
      const { bytesWritten } = await file.write(chunk, at, chunk.length - at, received.bytes);
      at += bytesWritten;
      received.bytes += bytesWritten;
    }
    onProgress(received.bytes / sizeBytes);
  }
  if (part.sizeBytes !== undefined && received.bytes < sizeBytes)
    throw new CutShort(`the connection ended after ${received.bytes} of ${sizeBytes} bytes`);
}
