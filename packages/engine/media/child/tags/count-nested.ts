import { countId3 } from "./count-id3.ts";
import type { FileWindow } from "./file-window.ts";
import type { TagCount } from "./tag-count.ts";

/** A piece of a container: its name and its content. */
type Piece = { id: string; startByte: number; endByte: number };

/** Deeper than FFmpeg follows. */
const MAX_LEVELS = 20;

type ChunkOptions = { sizeBytes: 4 | 8; isLittleEndian?: boolean; isPadded?: boolean };

/** Chunks: four letters, the size, the content. A size that a data chunk leaves open ends at the end of the file. */
function* listChunks(
  file: FileWindow,
  { startByte, endByte }: Omit<Piece, "id">,
  { sizeBytes, isLittleEndian = false, isPadded = false }: ChunkOptions,
): Generator<Piece> {
  for (let at = startByte; at < endByte; ) {
    const header = file.read(at, 4 + sizeBytes);
    if (header.length < 4 + sizeBytes) return;
    const size = sizeBytes === 8 ? Number(header.readBigInt64BE(4)) : readUInt32(header, isLittleEndian);
    const start = at + 4 + sizeBytes;
    const end = size < 0 ? endByte : Math.min(start + size, endByte);
    yield { id: header.toString("latin1", 0, 4), startByte: start, endByte: end };
    at = isPadded ? end + (size % 2) : end;
  }
}

const readUInt32 = (header: Buffer, isLittleEndian: boolean) =>
  isLittleEndian ? header.readUInt32LE(4) : header.readUInt32BE(4);

const sizeOf = ({ startByte, endByte }: Piece) => endByte - startByte;

/** "RIFF", "FORM", the size, and "WAVE" or the like. */
const FORM_BYTES = 12;

type Count = (file: FileWindow, atByte: number, count: TagCount) => void;

export const countWav: Count = (file, atByte, count) =>
  countForm(file, atByte, { count, isLittleEndian: true });
export const countAiff: Count = (file, atByte, count) =>
  countForm(file, atByte, { count, isLittleEndian: false });

function countForm(
  file: FileWindow,
  atByte: number,
  { count, isLittleEndian }: { count: TagCount; isLittleEndian: boolean },
): void {
  const options = { sizeBytes: 4, isLittleEndian, isPadded: true } as const;
  const countIn = (within: Omit<Piece, "id">, levels: number): void => {
    for (const chunk of listChunks(file, within, options)) {
      // Of a recording that was streamed: the sound goes on to the end of the file.
      if (chunk.id === "data" && sizeOf(chunk) === 0) return;
      if (/^id3 $/i.test(chunk.id)) countId3(file, chunk.startByte, count);
      if (chunk.id !== "LIST" || levels > MAX_LEVELS) continue;
      const type = file.readText(chunk.startByte, 4);
      const list = { startByte: chunk.startByte + 4, endByte: chunk.endByte };
      if (type === "INFO") for (const tag of listChunks(file, list, options)) count.add(sizeOf(tag));
      // Of AVI: the headers of all streams, and of one.
      if (type === "hdrl" || type === "strl") countIn(list, levels + 1);
    }
  };
  countIn({ startByte: atByte + FORM_BYTES, endByte: Number.MAX_SAFE_INTEGER }, 0);
}

const CAF_HEADER_BYTES = 8;

/** CAF: the chunk `info` has names and values, each ended by a zero. */
export const countCaf: Count = (file, atByte, count) => {
  const whole = { startByte: atByte + CAF_HEADER_BYTES, endByte: Number.MAX_SAFE_INTEGER };
  for (const { id, startByte: start, endByte } of listChunks(file, whole, { sizeBytes: 8 })) {
    if (id !== "info") continue;
    const entries = file.read(start, 4);
    const total = entries.length === 4 ? entries.readUInt32BE() : 0;
    const bytesEach = Math.ceil((endByte - start) / Math.max(1, total));
    for (let n = 0; n < total && start + 4 + 2 * n < endByte; n++) count.add(bytesEach);
  }
};

/** Boxes of MP4 and QuickTime with others inside; those inside the second group are tags. */
const BOXES = ["moov", "trak", "mdia", "minf", "moof", "traf", "mvex", "edts"];
const TAG_BOXES = ["udta", "meta", "ilst"];

/** MP4 and QuickTime. */
export const countBoxes: Count = (file, atByte, count) => {
  countBoxesIn(
    file,
    { startByte: atByte, endByte: Number.MAX_SAFE_INTEGER },
    { count, isTags: false, levels: 0 },
  );
};

type Place = { count: TagCount; isTags: boolean; levels: number };

function countBoxesIn(file: FileWindow, within: Omit<Piece, "id">, { count, isTags, levels }: Place): void {
  if (levels > MAX_LEVELS) return;
  for (const box of listBoxes(file, within)) {
    const isTagBox = TAG_BOXES.includes(box.id);
    if (isTagBox || BOXES.includes(box.id)) {
      const inside = { startByte: findFirstBox(file, box), endByte: box.endByte };
      countBoxesIn(file, inside, { count, isTags: isTags || isTagBox, levels: levels + 1 });
    } else if (isTags) count.add(box.id === "covr" ? 0 : sizeOf(box));
  }
}

function* listBoxes(file: FileWindow, { startByte, endByte }: Omit<Piece, "id">): Generator<Piece> {
  for (let at = startByte; at + 8 <= endByte; ) {
    const header = file.read(at, 16);
    if (header.length < 8) return;
    const stated = header.readUInt32BE();
    const isLong = stated === 1 && header.length === 16;
    const size = isLong ? Number(header.readBigUInt64BE(8)) : stated;
    const start = at + (isLong ? 16 : 8);
    const end = size === 0 ? endByte : Math.min(at + size, endByte);
    if (end < start) return;
    yield { id: header.toString("latin1", 4, 8), startByte: start, endByte: end };
    at = end;
  }
}

/** `meta` begins with a version in MP4, but not in QuickTime. */
function findFirstBox(file: FileWindow, { id, startByte }: Piece): number {
  return id === "meta" && file.readText(startByte + 4, 4) !== "hdlr" ? startByte + 4 : startByte;
}

/** Elements of Matroska with others inside, by their ids in hexadecimal. */
const ELEMENTS = {
  segment: "18538067",
  tags: "1254c367",
  tag: "7373",
  simpleTag: "67c8",
  chapters: "1043a770",
  edition: "45b9",
  chapter: "b6",
} as const;
const PARENTS: readonly string[] = Object.values(ELEMENTS);
/** FFmpeg compares each chapter with all before it, too. */
const COUNTED: readonly string[] = [ELEMENTS.simpleTag, ELEMENTS.chapter];

/** Matroska and WebM. */
export const countMatroska: Count = (file, atByte, count) =>
  countElements(file, { startByte: atByte, endByte: Number.MAX_SAFE_INTEGER }, { count, levels: 0 });

function countElements(
  file: FileWindow,
  within: Omit<Piece, "id">,
  { count, levels }: { count: TagCount; levels: number },
): void {
  if (levels > MAX_LEVELS) return;
  for (const element of listElements(file, within)) {
    if (COUNTED.includes(element.id)) count.add(sizeOf(element));
    if (PARENTS.includes(element.id)) countElements(file, element, { count, levels: levels + 1 });
  }
}

function* listElements(file: FileWindow, { startByte, endByte }: Omit<Piece, "id">): Generator<Piece> {
  for (let at = startByte; at < endByte; ) {
    const idBytes = countVintBytes(file.read(at, 1)[0]);
    const sizeBytes = countVintBytes(file.read(at + idBytes, 1)[0]);
    const header = file.read(at, idBytes + sizeBytes);
    if (idBytes === 0 || sizeBytes === 0 || header.length < idBytes + sizeBytes) return;
    const id = header.toString("hex", 0, idBytes);
    const size = toVint(header.subarray(idBytes));
    const start = at + idBytes + sizeBytes;
    // Of unknown size: what a live recording has of the segment and, at its end, of a cluster.
    const end = size === undefined ? endByte : Math.min(start + size, endByte);
    yield { id, startByte: start, endByte: end };
    at = end;
  }
}

/** The number of leading zeros in the first byte, and one; 0 for no number. */
const countVintBytes = (first: number | undefined) => (first ? Math.clz32(first) - 23 : 0);

/** Undefined if all its bits are set, which means unknown. */
function toVint(bytes: Buffer): number | undefined {
  const value = bytes.reduce(
    (sum, byte, n) => sum * 256 + (n === 0 ? byte & (0x7f >> (bytes.length - 1)) : byte),
    0,
  );
  return value === 2 ** (7 * bytes.length) - 1 ? undefined : value;
}
