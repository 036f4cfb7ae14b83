import { Transform } from "node:stream";

/** Minimum rate of other people's servers: one that trickles data could hold a worker or a request indefinitely. */
export const SLOWEST = { leastBytes: 64 * 1024, withinMs: 60_000 };

/** Passes everything through, and fails if fewer than `leastBytes` arrive within the interval. */
export function limitSlowness(
  { leastBytes, withinMs }: { leastBytes: number; withinMs: number },
  makeError: () => Error,
): Transform {
  let arrivedBytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      arrivedBytes += chunk.length;
      done(null, chunk);
    },
    flush(done) {
      clearInterval(timer);
      done();
    },
    destroy(error, done) {
      clearInterval(timer);
      done(error);
    },
  });
  const timer = setInterval(() => {
    // Unread data in the buffer means that our side is slow.
    if (arrivedBytes < leastBytes && limit.readableLength === 0) limit.destroy(makeError());
    arrivedBytes = 0;
  }, withinMs);
  return limit;
}
