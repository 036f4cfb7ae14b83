import { fstatSync, readSync } from "node:fs";
import { makeDamagedError } from "./checkpoint-error.ts";

/** Bytes of a file that is not trusted: every read is checked against its end. */
export interface ByteSource {
  readonly sizeBytes: number;
  /** Returns a copy, at an address that suits every type of number. */
  read(start: number, lengthBytes: number): Uint8Array<ArrayBuffer>;
}

function checkSpan(start: number, lengthBytes: number, sizeBytes: number): void {
  const isInside =
    Number.isSafeInteger(start) &&
    Number.isSafeInteger(lengthBytes) &&
    start >= 0 &&
    lengthBytes >= 0 &&
    start + lengthBytes <= sizeBytes;
  if (!isInside)
    throw makeDamagedError(
      `it has ${sizeBytes} bytes, but refers to bytes ${start} to ${start + lengthBytes}`,
    );
}

/** By descriptor, because the process that reads checkpoints can open nothing. */
export function makeFileSource(fd: number): ByteSource {
  const sizeBytes = fstatSync(fd).size;
  return {
    sizeBytes,
    read(start, lengthBytes) {
      checkSpan(start, lengthBytes, sizeBytes);
      const bytes = new Uint8Array(lengthBytes);
      for (let done = 0; done < lengthBytes; ) {
        const size = readSync(fd, bytes, done, lengthBytes - done, start + done);
        if (size === 0) throw makeDamagedError("it became shorter while it was read");
        done += size;
      }
      return bytes;
    },
  };
}

/** Part of another source. */
export function makePart(source: ByteSource, start: number, sizeBytes: number): ByteSource {
  checkSpan(start, sizeBytes, source.sizeBytes);
  return {
    sizeBytes,
    read(from, lengthBytes) {
      checkSpan(from, lengthBytes, sizeBytes);
      return source.read(start + from, lengthBytes);
    },
  };
}
