import type { FileWindow } from "./file-window.ts";
import type { TagCount } from "./tag-count.ts";

const FOOTER_BYTES = 32;
const ENTRIES_AT = 16;

/** The APE tag at the end of a WavPack file states the number of its entries. */
export function countApe(file: FileWindow, _atByte: number, count: TagCount): void {
  const footer = file.read(file.sizeBytes - FOOTER_BYTES, FOOTER_BYTES);
  if (footer.toString("latin1", 0, 8) !== "APETAGEX") return;
  const entries = footer.readUInt32LE(ENTRIES_AT);
  for (let n = 0; n < entries; n++) count.add(0);
}
