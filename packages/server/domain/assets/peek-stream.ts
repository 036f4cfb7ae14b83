import { Readable } from "node:stream";

/** The first bytes of a stream, and a stream of all of it. */
export async function peekStream(
  content: Readable,
  bytes: number,
): Promise<{ head: Buffer; isWhole: boolean; content: Readable }> {
  const iterator = content[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let isWhole = false;
  while (sizeBytes < bytes && !isWhole) {
    const next = await iterator.next();
    if (next.done) isWhole = true;
    else {
      chunks.push(next.value);
      sizeBytes += next.value.length;
    }
  }
  async function* readAll() {
    try {
      yield* chunks;
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield next.value;
    } finally {
      await iterator.return?.();
    }
  }
  return {
    head: Buffer.concat(chunks).subarray(0, bytes),
    isWhole,
    content: Readable.from(readAll(), { objectMode: false }),
  };
}
