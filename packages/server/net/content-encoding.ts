import type { Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from "node:zlib";

const DECODERS: Record<string, () => Transform> = {
  gzip: () => createGunzip(),
  "x-gzip": () => createGunzip(),
  deflate: () => createInflate(),
  br: () => createBrotliDecompress(),
  zstd: () => createZstdDecompress(),
};

/**
 * What undoes a `Content-Encoding`, in the order in which it is to be undone. Names that are no encodings are passed over: uploads to
 * buckets carry all kinds of words there, with content that is not encoded.
 */
export function makeDecoders(contentEncoding: string | undefined): Transform[] {
  const names = contentEncoding?.toLowerCase().split(",") ?? [];
  return names.toReversed().flatMap((name) => DECODERS[name.trim()]?.() ?? []);
}
