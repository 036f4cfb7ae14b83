import { TimeoutError } from "../errors.ts";

/** Rejects if the promise takes longer than the limit; a dead connection may never report an error. */
async function limitWait<Value>(promise: Promise<Value>, limitMs: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`No data received for ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Iterates over a stream; not every browser supports `for await` on one. Leaving the loop cancels the stream. */
export async function* toChunks(
  stream: ReadableStream<Uint8Array>,
  idleLimitMs: number,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const read = () => limitWait(reader.read(), idleLimitMs);
  try {
    for (let chunk = await read(); !chunk.done; chunk = await read()) yield chunk.value;
  } finally {
    // Not awaited: on a dead connection it may never settle.
    reader.cancel().catch(() => {});
  }
}

/** Wraps an iterable in a stream that reads on demand. */
export function toStream(chunks: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await iterator.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    async cancel(reason) {
      await iterator.return?.(reason);
    },
  });
}
