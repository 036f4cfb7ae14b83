import { closeSync, openSync } from "node:fs";
import { copyFile, open, stat, truncate } from "node:fs/promises";

export type BoundedLog = {
  path: string;
  /** For the server's output; opened in append mode, so that truncating it is safe while the server writes. */
  fd: number;
  sizeBytes(): Promise<number>;
  /** The end of the text after an offset, or of the whole log if it was rotated since. */
  readFrom(offsetBytes: number): Promise<string>;
  close(): void;
};

const maxSizeBytes = 8 * 1024 * 1024;
const checkIntervalMs = 30_000;
const maxReadBytes = 64 * 1024;

/**
 * The server writes directly to the file, so that its output survives a killed service. At the limit the text moves to `<path>.1`. PostgreSQL's own
 * logging collector was rejected: one more process, and it limits the size of a file but not the number of files.
 */
export async function openBoundedLog(path: string): Promise<BoundedLog> {
  const fd = openSync(path, "a", 0o600);
  await bound(path);
  // A full disk must not crash the service here; the server itself reports it soon enough.
  const timer = setInterval(() => void bound(path).catch(() => {}), checkIntervalMs).unref();
  return {
    path,
    fd,
    sizeBytes: async () => (await stat(path)).size,
    readFrom: (offsetBytes) => readFrom(path, offsetBytes),
    close: () => {
      clearInterval(timer);
      closeSync(fd);
    },
  };
}

async function bound(path: string): Promise<void> {
  if ((await stat(path)).size <= maxSizeBytes) return;
  await copyFile(path, `${path}.1`);
  await truncate(path);
}

async function readFrom(path: string, offsetBytes: number): Promise<string> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const startBytes = Math.max(offsetBytes > size ? 0 : offsetBytes, size - maxReadBytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxReadBytes), 0, maxReadBytes, startBytes);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}
