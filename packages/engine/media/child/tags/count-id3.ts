import type { FileWindow } from "./file-window.ts";
import type { TagCount } from "./tag-count.ts";

/** "ID3", version, revision, flags, size. */
const HEADER_BYTES = 10;
const FOOTER_BYTES = 10;
const HAS_FOOTER = 0x10;
const HAS_EXTENDED_HEADER = 0x40;
/** Frames of version 2.2 have three letters and three bytes of size; later ones four of each, and two of flags. */
const SHORT = { idBytes: 3, headerBytes: 6 };
const LONG = { idBytes: 4, headerBytes: 10 };
const MAX_CHAPTER_NAME_BYTES = 1024;
const CHAPTER_TIMES_BYTES = 16;
/** Attached pictures and files of programs. */
const BINARY = ["APIC", "GEOB", "PIC", "GEO"];

type Tag = { version: number; flags: number; startByte: number; endByte: number; isChapter?: boolean };

/** The tags of ID3v2, one behind another. Returns where they end. */
export function countId3(file: FileWindow, atByte: number, count: TagCount): number {
  let at = atByte;
  for (let tag = findTag(file, at); tag; tag = findTag(file, at)) {
    countFrames(file, tag, count);
    at = tag.endByte + (tag.flags & HAS_FOOTER ? FOOTER_BYTES : 0);
  }
  return at;
}

function findTag(file: FileWindow, atByte: number): Tag | undefined {
  const header = file.read(atByte, HEADER_BYTES);
  if (header.length < HEADER_BYTES || header.toString("latin1", 0, 3) !== "ID3") return undefined;
  const [version = 0, , flags = 0] = header.subarray(3);
  const startByte = atByte + HEADER_BYTES;
  return { version, flags, startByte, endByte: startByte + toSynchsafe(header.readUInt32BE(6)) };
}

/** Seven bits of each byte. */
const toSynchsafe = (value: number) =>
  (value & 0x7f) | ((value & 0x7f00) >> 1) | ((value & 0x7f_00_00) >> 2) | ((value & 0x7f_00_00_00) >> 3);

function countFrames(file: FileWindow, tag: Tag, count: TagCount): void {
  const { idBytes, headerBytes } = tag.version === 2 ? SHORT : LONG;
  for (let at = tag.startByte + findExtendedBytes(file, tag); at + headerBytes <= tag.endByte; ) {
    const header = file.read(at, headerBytes);
    // Padding, or the end of the file.
    if (header.length < headerBytes || header[0] === 0) return;
    const id = header.toString("latin1", 0, idBytes);
    const stated = header.readUIntBE(idBytes, idBytes);
    const sizeBytes = tag.version === 4 ? findSize(file, { at, stated, endByte: tag.endByte }) : stated;
    count.add(BINARY.includes(id) ? 0 : sizeBytes);
    const [startByte, endByte] = [at + headerBytes, at + headerBytes + sizeBytes];
    if (id === "CHAP" && !tag.isChapter) countChapter(file, { startByte, endByte }, count);
    at = endByte;
  }
}

/** A chapter has its name up to a zero, four times or positions, and then its own frames; FFmpeg reads their sizes as of version 2.3. */
function countChapter(file: FileWindow, chapter: Pick<Tag, "startByte" | "endByte">, count: TagCount): void {
  const nameBytes = file.read(chapter.startByte, MAX_CHAPTER_NAME_BYTES).indexOf(0);
  const startByte = chapter.startByte + nameBytes + 1 + CHAPTER_TIMES_BYTES;
  if (nameBytes >= 0)
    countFrames(file, { version: 3, flags: 0, startByte, endByte: chapter.endByte, isChapter: true }, count);
}

function findExtendedBytes(file: FileWindow, { version, flags, startByte }: Tag): number {
  if (version === 2 || !(flags & HAS_EXTENDED_HEADER)) return 0;
  const size = file.read(startByte, 4);
  if (size.length < 4) return 0;
  return version === 4 ? toSynchsafe(size.readUInt32BE()) : 4 + size.readUInt32BE();
}

/** Some programs write the sizes of version 2.4 as of 2.3: as FFmpeg does, the one that is followed by a frame, or by padding, is taken. */
function findSize(
  file: FileWindow,
  { at, stated, endByte }: { at: number; stated: number; endByte: number },
): number {
  const isFollowed = (sizeBytes: number) => {
    const next = at + LONG.headerBytes + sizeBytes;
    return next === endByte || (next < endByte && /^[A-Z0-9]{4}$|^\0/.test(file.readText(next, 4) ?? "\0"));
  };
  const synchsafe = toSynchsafe(stated);
  return !isFollowed(synchsafe) && isFollowed(stated) ? stated : synchsafe;
}
