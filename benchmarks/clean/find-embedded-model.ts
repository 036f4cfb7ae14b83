import { inflateRawSync } from "node:zlib";

/** Gzip with the name of a file in its header. */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b, 0x08, 0x08]);
const GZIP_HEADER_BYTES = 10;
const TAR_BLOCK_BYTES = 512;

/** The files of a tar.gz embedded in a program, by base name. */
export function findEmbeddedModel(program: Buffer): Map<string, Buffer> {
  for (let at = program.indexOf(GZIP_MAGIC); at >= 0; at = program.indexOf(GZIP_MAGIC, at + 1)) {
    const files = readTar(inflate(program.subarray(program.indexOf(0, at + GZIP_HEADER_BYTES) + 1)));
    if (files.size > 0) return files;
  }
  throw new Error("the program contains no model");
}

/** Empty if the bytes are not deflated; anything after the end is ignored. */
function inflate(bytes: Buffer): Buffer {
  try {
    return inflateRawSync(bytes);
  } catch {
    return Buffer.alloc(0);
  }
}

function readTar(tar: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  for (let at = 0; at + TAR_BLOCK_BYTES <= tar.length && tar[at] !== 0; ) {
    const text = (from: number, length: number) => tar.toString("latin1", at + from, at + from + length);
    const name = text(0, 100).split("\0")[0]?.split("/").at(-1) ?? "";
    const sizeBytes = Number.parseInt(text(124, 12), 8);
    const start = at + TAR_BLOCK_BYTES;
    files.set(name, tar.subarray(start, start + sizeBytes));
    at = start + Math.ceil(sizeBytes / TAR_BLOCK_BYTES) * TAR_BLOCK_BYTES;
  }
  return files;
}
