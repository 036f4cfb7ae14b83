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
 * Decoders for a `Content-Encoding`, in the order to apply. Unknown names are ignored: objects in buckets carry all kinds of values there without being
 * encoded.
 */
export function makeDecoders(contentEncoding: string | undefined): Transform[] {
  const names = contentEncoding?.toLowerCase().split(",") ?? [];
  return names.toReversed().flatMap((name) => DECODERS[name.trim()]?.() ?? []);
}
