const BLOCK_BYTES = 512;
const MAX_NAME = 100;
const MAX_PREFIX = 155;
/** Eleven octal digits; larger sizes use GNU's binary form. */
const MAX_OCTAL_SIZE = 8 ** 11;

export const TAR_BLOCK_BYTES = BLOCK_BYTES;
/** Padding after an entry, up to the next block. */
export const toPaddingBytes = (sizeBytes: number) => (BLOCK_BYTES - (sizeBytes % BLOCK_BYTES)) % BLOCK_BYTES;

function splitName(name: string): { name: string; prefix: string } {
  if (Buffer.byteLength(name) <= MAX_NAME) return { name, prefix: "" };
  for (let slash = name.indexOf("/"); slash !== -1; slash = name.indexOf("/", slash + 1)) {
    const [prefix, rest] = [name.slice(0, slash), name.slice(slash + 1)];
    if (Buffer.byteLength(rest) <= MAX_NAME && Buffer.byteLength(prefix) <= MAX_PREFIX)
      return { name: rest, prefix };
  }
  throw new Error(`${name} is too long for a tar entry's name`);
}

const sumBytes = (header: Buffer) => header.reduce((sum, byte) => sum + byte, 0);

/** A POSIX ustar header, which every tar reads. */
export function makeTarHeader(entry: { name: string; sizeBytes: number; modifiedAt: Date }): Buffer {
  const header = Buffer.alloc(BLOCK_BYTES);
  const { name, prefix } = splitName(entry.name);
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, "0")}\0`;
  header.write(name, 0);
  header.write(octal(0o600, 7), 100);
  header.write(octal(0, 7), 108);
  header.write(octal(0, 7), 116);
  if (entry.sizeBytes < MAX_OCTAL_SIZE) header.write(octal(entry.sizeBytes, 11), 124);
  else {
    header.writeUInt8(0x80, 124);
    header.writeBigUInt64BE(BigInt(entry.sizeBytes), 128);
  }
  header.write(octal(Math.floor(entry.modifiedAt.getTime() / 1000), 11), 136);
  header.write("        0", 148);
  header.write("ustar\x0000", 257);
  header.write(prefix, 345);
  header.write(`${sumBytes(header).toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** Undefined at the end of the archive. */
export function parseTarHeader(header: Buffer): { name: string; sizeBytes: number } | undefined {
  if (header.every((byte) => byte === 0)) return undefined;
  const text = (start: number, length: number) =>
    header
      .subarray(start, start + length)
      .toString("utf8")
      .replace(/\0.*$/s, "");
  const stated = Number.parseInt(text(148, 8), 8);
  const unsigned = Buffer.from(header);
  unsigned.fill(" ", 148, 156);
  if (stated !== sumBytes(unsigned)) throw new Error("a tar header is damaged");
  const prefix = text(345, MAX_PREFIX);
  const sizeBytes =
    header.readUInt8(124) === 0x80 ? Number(header.readBigUInt64BE(128)) : Number.parseInt(text(124, 12), 8);
  return { name: prefix === "" ? text(0, MAX_NAME) : `${prefix}/${text(0, MAX_NAME)}`, sizeBytes };
}
