import { Transform } from "node:stream";

/** Passes a stream through, and fails once it exceeds maxBytes. */
export function limitBytes(
  maxBytes: number,
  makeError: () => Error,
  onBytes: (sizeBytes: number) => void = () => {},
): Transform {
  let sizeBytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      sizeBytes += chunk.length;
      onBytes(sizeBytes);
      if (sizeBytes > maxBytes) done(makeError());
      else done(null, chunk);
    },
  });
}
