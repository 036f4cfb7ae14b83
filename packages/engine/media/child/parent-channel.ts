import { readSync, writeSync } from "node:fs";

const CHANNEL_FD = 3;
const CHUNK_BYTES = 1 << 16;

/**
 * The child's end of the channel, read and written synchronously: waiting for a descriptor in the event loop uses io_uring, which the sandbox refuses. A
 * dead parent shows as EPIPE.
 */
export function readRequest<Request>(): Request {
  let text = "";
  const chunk = Buffer.alloc(CHUNK_BYTES);
  const decoder = new TextDecoder();
  while (!text.endsWith("\n")) {
    const length = readSync(CHANNEL_FD, chunk);
    if (length === 0) throw new Error("the parent is gone");
    text += decoder.decode(chunk.subarray(0, length), { stream: true });
  }
  return JSON.parse(text) as Request;
}

export function sendReport(report: object): void {
  const bytes = Buffer.from(`${JSON.stringify(report)}\n`);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(CHANNEL_FD, bytes, sent);
}
