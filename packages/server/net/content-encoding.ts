import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

const DECODERS: Record<string, () => Transform> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
};

/** As many as curl takes. A header has room for thousands, and each decoder holds up to a few MiB. */
const MAX_ENCODINGS = 5;

/** The message continues a sentence about the content. */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
}

/**
 * Decoders for a `Content-Encoding`, in the order to apply, each followed by a limit: what one expands, the next may swallow. Unknown names are ignored:
 * objects in buckets carry all kinds of values there without being encoded.
 */
export function makeDecoders(contentEncoding: string | undefined, makeLimit: () => Transform): Transform[] {
  const names = contentEncoding?.toLowerCase().split(",") ?? [];
  const known = names.toReversed().flatMap((name) => DECODERS[name.trim()] ?? []);
  if (known.length > MAX_ENCODINGS)
    throw new EncodingError(
      `is encoded ${known.length} times over, by its Content-Encoding; at most ${MAX_ENCODINGS} are decoded`,
    );
  return known.flatMap((makeDecoder) => [makeDecoder(), makeLimit()]);
}
