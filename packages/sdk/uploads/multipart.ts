import { toStream } from "../http/stream-chunks.ts";
import type { UploadSource } from "./upload-source.ts";

export type UploadProgress = {
  sentBytes: number;
  /** Size of the file; undefined for streams. */
  totalBytes: number | undefined;
};

/** Escapes a file name as browsers do: https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data */
const escapeName = (name: string) =>
  name.replaceAll("\n", "%0A").replaceAll("\r", "%0D").replaceAll('"', "%22");

/**
 * A multipart body with one file, streamed in constant memory. Sends Content-Length when the size is known. Progress counts
 * the bytes that fetch has taken.
 */
export function makeMultipartBody(source: UploadSource, onProgress?: (progress: UploadProgress) => void) {
  const boundary = `stemwright${crypto.randomUUID().replaceAll("-", "")}`;
  const encode = (text: string) => new TextEncoder().encode(text);
  const head = encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${escapeName(source.name)}"\r\n` +
      `Content-Type: ${source.type}\r\n\r\n`,
  );
  const tail = encode(`\r\n--${boundary}--\r\n`);
  const { sizeBytes } = source;

  async function* makeChunks(): AsyncGenerator<Uint8Array> {
    let sentBytes = 0;
    yield head;
    const reader = source.open().getReader();
    try {
      for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
        yield chunk.value;
        sentBytes += chunk.value.byteLength;
        onProgress?.({ sentBytes, totalBytes: sizeBytes });
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
    yield tail;
  }

  return {
    make: () => toStream(makeChunks()),
    isOnce: source.isOnce,
    headers: {
      "content-type": `multipart/form-data; boundary=${boundary}`,
      ...(sizeBytes === undefined
        ? {}
        : { "content-length": String(head.byteLength + sizeBytes + tail.byteLength) }),
    },
  };
}
