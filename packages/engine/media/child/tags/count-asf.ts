import type { FileWindow } from "./file-window.ts";
import type { TagCount } from "./tag-count.ts";

/** Ids of objects with others inside, and how much comes before those. */
const HEADER_BYTES: Record<string, number> = {
  // Header, header extension.
  "3026b2758e66cf11a6d900aa0062ce6c": 30,
  b503bf5f2ea9cf118ee300c00c205365: 46,
};
/** Extended content description, metadata, metadata library: they begin with the number of their entries. */
const TAG_OBJECTS = [
  "40a4d0d207e3d21197f000a0c95ea850",
  "eacbf8c5af5b77488467aa8c44fa4cca",
  "941c23449894d149a1411d134e457054",
];
const ID_BYTES = 16;
const OBJECT_BYTES = 24;

/** WMA and WMV: objects of an id, the size and the content. */
export function countAsf(file: FileWindow, atByte: number, count: TagCount): void {
  for (let at = atByte; ; ) {
    const header = file.read(at, OBJECT_BYTES + 2);
    if (header.length < OBJECT_BYTES + 2) return;
    const id = header.toString("hex", 0, ID_BYTES);
    const sizeBytes = Number(header.readBigUInt64LE(ID_BYTES));
    if (TAG_OBJECTS.includes(id)) {
      const entries = header.readUInt16LE(OBJECT_BYTES);
      for (let n = 0; n < entries; n++) count.add(0);
    }
    // What is inside comes next, as nothing else is of interest.
    const step = HEADER_BYTES[id] ?? sizeBytes;
    if (step < OBJECT_BYTES) return;
    at += step;
  }
}
