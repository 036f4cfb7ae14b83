/** A file of a zip archive, as described by the records around its bytes (PKWARE's APPNOTE 6.3.10). */
export type ZipFile = { name: string; sizeBytes: number; modifiedAt: Date };

/** From this value on, a size, offset or count needs zip64. */
const LARGE = 0xffff_ffff;
const MANY = 0xffff;
const VERSION = 20;
const ZIP64_VERSION = 45;
const MADE_ON_UNIX = 3 << 8;
/** UTF-8 names; size and checksum follow the data, which is sent while it is read for the first time. */
const FLAGS = 0x0800 | 0x0008;
const FILE_MODE = 0o100644 * 0x1_0000;
const ZIP64_FIELD = 1;

type Field = [bytes: 2 | 4 | 8, value: number];

function write(...fields: Field[]): Buffer {
  const record = Buffer.alloc(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 8) record.writeBigUInt64LE(BigInt(value), at);
    else record.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return record;
}

/** Since 1980, in steps of two seconds; in UTC, since zip has no time zones. */
function toDosTime(at: Date): Field[] {
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const year = Math.max(0, at.getUTCFullYear() - 1980);
  const date = (year << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return [
    [2, time],
    [2, date],
  ];
}

const versionOf = (isLarge: boolean) => (isLarge ? ZIP64_VERSION : VERSION);

/** Precedes a file's data. For a large file it says so, since its descriptor is then longer. */
export function makeLocalHeader({ name, sizeBytes, modifiedAt }: ZipFile): Buffer {
  const isLarge = sizeBytes >= LARGE;
  const extra = isLarge ? write([2, ZIP64_FIELD], [2, 16], [8, 0], [8, 0]) : Buffer.alloc(0);
  const size = isLarge ? LARGE : 0;
  const nameBytes = Buffer.from(name);
  return Buffer.concat([
    write(
      ...([
        [4, 0x0403_4b50],
        [2, versionOf(isLarge)],
        [2, FLAGS],
        [2, 0],
        ...toDosTime(modifiedAt),
        [4, 0],
        [4, size],
        [4, size],
        [2, nameBytes.length],
        [2, extra.length],
      ] satisfies Field[]),
    ),
    nameBytes,
    extra,
  ]);
}

/** Follows a file's data. */
export function makeDescriptor({ sizeBytes }: ZipFile, checksum: number): Buffer {
  const bytes = sizeBytes >= LARGE ? 8 : 4;
  return write([4, 0x0807_4b50], [4, checksum], [bytes, sizeBytes], [bytes, sizeBytes]);
}

/** An entry of the central directory; `startByte` is the offset of its local header. */
export function makeListEntry(
  { name, sizeBytes, modifiedAt }: ZipFile,
  { checksum, startByte }: { checksum: number; startByte: number },
): Buffer {
  const isLarge = sizeBytes >= LARGE;
  const isFar = startByte >= LARGE;
  const wide: Field[] = [
    ...(isLarge ? ([8, 8] as const).map((bytes): Field => [bytes, sizeBytes]) : []),
    ...(isFar ? [[8, startByte] satisfies Field] : []),
  ];
  const extra = wide.length > 0 ? write([2, ZIP64_FIELD], [2, 8 * wide.length], ...wide) : Buffer.alloc(0);
  const nameBytes = Buffer.from(name);
  return Buffer.concat([
    write(
      ...([
        [4, 0x0201_4b50],
        [2, MADE_ON_UNIX | ZIP64_VERSION],
        [2, versionOf(isLarge || isFar)],
        [2, FLAGS],
        [2, 0],
        ...toDosTime(modifiedAt),
        [4, checksum],
        [4, isLarge ? LARGE : sizeBytes],
        [4, isLarge ? LARGE : sizeBytes],
        [2, nameBytes.length],
        [2, extra.length],
        [2, 0],
        [2, 0],
        [2, 0],
        [4, FILE_MODE],
        [4, isFar ? LARGE : startByte],
      ] satisfies Field[]),
    ),
    nameBytes,
    extra,
  ]);
}

/** The end of the archive; `startByte` is the offset of the central directory. */
export function makeEnd(list: { count: number; sizeBytes: number; startByte: number }): Buffer {
  const { count, sizeBytes, startByte } = list;
  const isWide = startByte + sizeBytes >= LARGE || count >= MANY;
  const end = write(
    [4, 0x0605_4b50],
    [2, 0],
    [2, 0],
    [2, Math.min(count, MANY)],
    [2, Math.min(count, MANY)],
    [4, Math.min(sizeBytes, LARGE)],
    [4, Math.min(startByte, LARGE)],
    [2, 0],
  );
  if (!isWide) return end;
  const wideEnd = write(
    [4, 0x0606_4b50],
    [8, 44],
    [2, MADE_ON_UNIX | ZIP64_VERSION],
    [2, ZIP64_VERSION],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, sizeBytes],
    [8, startByte],
  );
  const locator = write([4, 0x0706_4b50], [4, 0], [8, startByte + sizeBytes], [4, 1]);
  return Buffer.concat([wideEnd, locator, end]);
}
