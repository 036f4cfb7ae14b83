import { Transform } from "node:stream";

/** Passes everything on, and fails when less than `leastBytes` came within a stretch of time. */
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
    // What has come and waits to be read tells that it is our side that is slow.
    if (arrivedBytes < leastBytes && limit.readableLength === 0) limit.destroy(makeError());
    arrivedBytes = 0;
  }, withinMs);
  return limit;
}
