import type { FileWindow } from "./file-window.ts";
import type { TagCount } from "./tag-count.ts";

/** Holds a picture as text. */
const PICTURE_KEY = /^(METADATA_BLOCK_PICTURE|COVERART)=/i;
const KEY_BYTES = 24;

/** Reads bytes of a packet or block; fewer at its end. */
type Read = (atByte: number, lengthBytes: number) => Buffer;

/** A Vorbis comment: the vendor, and tags with their lengths before them. */
function countComments(read: Read, atByte: number, count: TagCount): void {
  const findLength = (at: number) => {
    const length = read(at, 4);
    return length.length === 4 ? length.readUInt32LE() : undefined;
  };
  const vendorBytes = findLength(atByte);
  const total = vendorBytes === undefined ? undefined : findLength(atByte + 4 + vendorBytes);
  if (vendorBytes === undefined || total === undefined) return;
  let at = atByte + 4 + vendorBytes + 4;
  for (let n = 0; n < total; n++) {
    const sizeBytes = findLength(at);
    if (sizeBytes === undefined) return;
    const isPicture = PICTURE_KEY.test(read(at + 4, Math.min(sizeBytes, KEY_BYTES)).toString("latin1"));
    count.add(isPicture ? 0 : sizeBytes);
    at += 4 + sizeBytes;
  }
}

const COMMENT_BLOCK = 4;

/** FLAC: blocks behind its four letters, the last of them marked. */
export function countFlac(file: FileWindow, atByte: number, count: TagCount): void {
  for (let at = atByte + 4, isLast = false; !isLast; ) {
    const header = file.read(at, 4);
    if (header.length < 4) return;
    const [startByte, sizeBytes] = [at + 4, header.readUIntBE(1, 3)];
    isLast = (header.readUInt8() & 0x80) !== 0;
    if ((header.readUInt8() & 0x7f) === COMMENT_BLOCK)
      countComments(
        (from, length) => file.read(startByte + from, Math.min(length, sizeBytes - from)),
        0,
        count,
      );
    at = startByte + sizeBytes;
  }
}

const PAGE_HEADER_BYTES = 27;
const SERIAL_AT = 14;
const SEGMENT_COUNT_AT = 26;
/** A shorter segment is the last of its packet. */
const SEGMENT_BYTES = 255;
/** Tags with a large picture take some hundred pages. */
const MAX_PAGES = 10_000;
const MAX_PACKET_BYTES = 64 * 1024 * 1024;
/** The first packets of a stream tell its codec, its tags and how it is coded. */
const HEADER_PACKETS = 3;
/** What a packet with tags begins with, as hexadecimal; Speex has them without, in its second packet. */
const COMMENT_MARKS = ["03766f72626973", "4f70757354616773", "817468656f7261", "4f5650383002", "04", "84"];
/** Behind the mark of VP8 comes a space, behind that of FLAC the size. */
const MARK_BYTES: Record<string, number> = { "4f5650383002": 7, "04": 4, "84": 4 };

type OggStream = { packets: number; open: Buffer[]; openBytes: number };

/** Ogg: pages of segments, in which the packets of several streams are cut into pieces. */
export function countOgg(file: FileWindow, atByte: number, count: TagCount): void {
  const streams = new Map<number, OggStream>();
  let at = atByte;
  for (let page = 0; page < MAX_PAGES && file.readText(at, 4) === "OggS"; page++) {
    const header = file.read(at, PAGE_HEADER_BYTES);
    if (header.length < PAGE_HEADER_BYTES) return;
    const serial = header.readUInt32LE(SERIAL_AT);
    const stream = streams.get(serial) ?? { packets: 0, open: [], openBytes: 0 };
    streams.set(serial, stream);
    const segments = [...file.read(at + PAGE_HEADER_BYTES, header.readUInt8(SEGMENT_COUNT_AT))];
    at += PAGE_HEADER_BYTES + segments.length;
    for (const sizeBytes of segments) {
      if (stream.packets < HEADER_PACKETS) takeSegment(stream, file.read(at, sizeBytes), count);
      at += sizeBytes;
    }
    // Tags stand before the sound.
    if ([...streams.values()].every(({ packets }) => packets >= HEADER_PACKETS)) return;
  }
}

function takeSegment(stream: OggStream, segment: Buffer, count: TagCount): void {
  stream.openBytes += segment.length;
  if (stream.openBytes <= MAX_PACKET_BYTES) stream.open.push(segment);
  if (segment.length === SEGMENT_BYTES) return;
  const packet = Buffer.concat(stream.open);
  stream.packets += 1;
  stream.open = [];
  stream.openBytes = 0;
  const mark = COMMENT_MARKS.find((start) => packet.toString("hex", 0, start.length / 2) === start);
  if (stream.packets === 1 || (stream.packets > 2 && mark === undefined)) return;
  const startByte = mark === undefined ? 0 : (MARK_BYTES[mark] ?? mark.length / 2);
  countComments((from, length) => packet.subarray(from, from + length), startByte, count);
}
