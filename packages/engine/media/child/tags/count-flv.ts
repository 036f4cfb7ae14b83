import type { FileWindow } from "./file-window.ts";
import type { TagCount } from "./tag-count.ts";

/** "FLV", version, flags, the header's own size. */
const HEADER_SIZE_AT = 5;
const MIN_HEADER_BYTES = 9;
const PREVIOUS_BYTES = 4;
/** Type, size, time, stream. */
const RECORD_BYTES = 11;
const SCRIPT = 18;
const MAX_LEVELS = 16;

/** FLV: records, of which scripts hold names and values. */
export function countFlv(file: FileWindow, atByte: number, count: TagCount): void {
  const head = file.read(atByte, MIN_HEADER_BYTES);
  if (head.length < MIN_HEADER_BYTES) return;
  for (let at = atByte + head.readUInt32BE(HEADER_SIZE_AT) + PREVIOUS_BYTES; ; ) {
    const record = file.read(at, RECORD_BYTES);
    if (record.length < RECORD_BYTES) return;
    const [startByte, sizeBytes] = [at + RECORD_BYTES, record.readUIntBE(1, 3)];
    at = startByte + sizeBytes + PREVIOUS_BYTES;
    if ((record.readUInt8() & 0x1f) === SCRIPT)
      countScript(file, startByte, { endByte: startByte + sizeBytes, count });
  }
}

type Place = { endByte: number; count: TagCount };

function countScript(file: FileWindow, startByte: number, place: Place): void {
  for (let at: number | undefined = startByte; at !== undefined && at < place.endByte; )
    at = skipValue(file, at, { ...place, levels: 0 });
}

/** Values of AMF, by their type: the bytes of simple ones. */
const VALUE_BYTES: Record<number, number> = { 0: 8, 1: 1, 5: 0, 6: 0, 7: 2, 11: 10 };
const [STRING, OBJECT, MIXED_ARRAY, OBJECT_END, ARRAY, LONG_STRING] = [2, 3, 8, 9, 10, 12];

/** Returns where the value at a position ends; undefined where it can't be read. */
function skipValue(file: FileWindow, at: number, place: Place & { levels: number }): number | undefined {
  const header = file.read(at, 5);
  if (header.length === 0 || at >= place.endByte || place.levels > MAX_LEVELS) return undefined;
  const type = header.readUInt8();
  const plainBytes = VALUE_BYTES[type];
  if (plainBytes !== undefined) return at + 1 + plainBytes;
  if (header.length < 5) return undefined;
  const inside = { ...place, levels: place.levels + 1 };
  if (type === STRING) return at + 3 + header.readUInt16BE(1);
  if (type === LONG_STRING) return at + 5 + header.readUInt32BE(1);
  if (type === OBJECT) return skipFields(file, at + 1, inside);
  if (type === MIXED_ARRAY) return skipFields(file, at + 5, inside);
  if (type !== ARRAY) return undefined;
  let next: number | undefined = at + 5;
  for (let n = header.readUInt32BE(1); n > 0 && next !== undefined; n--) next = skipValue(file, next, inside);
  return next;
}

/** Names and values, up to an empty name. */
function skipFields(file: FileWindow, at: number, place: Place & { levels: number }): number | undefined {
  for (let next = at; ; ) {
    const length = file.read(next, 3);
    if (length.length < 3 || next >= place.endByte) return undefined;
    const valueAt = next + 2 + length.readUInt16BE();
    if (length.readUInt16BE() === 0 && length[2] === OBJECT_END) return valueAt + 1;
    const end = skipValue(file, valueAt, place);
    place.count.add((end ?? valueAt) - next);
    if (end === undefined) return undefined;
    next = end;
  }
}
