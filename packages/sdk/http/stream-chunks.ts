import { TimeoutError } from "../errors.ts";

/** A connection may die without a word: what nothing comes from for so long is given up. */
async function limitWait<Value>(promise: Promise<Value>, limitMs: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TimeoutError(`Nothing arrived for ${limitMs} ms`)), limitMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Not every browser can walk through a stream with `for await`. Leaving the loop ends the stream. */
export async function* toChunks(
  stream: ReadableStream<Uint8Array>,
  idleLimitMs: number,
): AsyncGenerator<Uint8Array> {
  const reader = stream.getReader();
  const read = () => limitWait(reader.read(), idleLimitMs);
  try {
    for (let chunk = await read(); !chunk.done; chunk = await read()) yield chunk.value;
  } finally {
    // Not waited for: a connection that is dead may never say that it has ended.
    reader.cancel().catch(() => {});
  }
}

/** Read as fast as it is asked for, and no faster. */
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
