import { findCrc8, findCrc16 } from "./block-checksums.ts";

/** A FLAC file (RFC 9639) as used for previews: only STREAMINFO, then blocks of one length, of which the last may be shorter. */
export type FlacFile = {
  bytes: Uint8Array<ArrayBuffer>;
  blockFrames: number;
  lengthFrames: number;
  /** Where each block starts, and where the last one ends. */
  offsets: readonly number[];
};

/** "fLaC", then STREAMINFO with its 4-byte header. */
const FILE_HEADER_BYTES = 42;
const BLOCK_FRAMES_AT = 10;
const LENGTH_FRAMES_AT = 22;
const BLOCK_NUMBER_AT = 4;
const CRC16_BYTES = 2;

const viewOf = ({ buffer, byteOffset, length }: Uint8Array) => new DataView(buffer, byteOffset, length);

/** The block number has a UTF-8-like coding; a block of a different length states that length after the number. */
function measureHeader(block: Uint8Array): { numberBytes: number; headerBytes: number } {
  const first = block[BLOCK_NUMBER_AT] ?? 0;
  const numberBytes = first < 0x80 ? 1 : Math.clz32(~(first << 24));
  const lengthCode = (block[2] ?? 0) >> 4;
  const lengthBytes = lengthCode === 0b0110 ? 1 : lengthCode === 0b0111 ? 2 : 0;
  return { numberBytes, headerBytes: BLOCK_NUMBER_AT + numberBytes + lengthBytes };
}

function isBlockHeader(bytes: Uint8Array): boolean {
  if (bytes[1] !== 0xf8) return false;
  const { headerBytes } = measureHeader(bytes);
  return findCrc8(bytes.subarray(0, headerBytes)) === bytes[headerBytes];
}

/** Block sizes are not stored: a block ends where another header follows and its own checksum matches. */
export function parseFlac(bytes: Uint8Array<ArrayBuffer>): FlacFile {
  const view = viewOf(bytes);
  const offsets = [FILE_HEADER_BYTES];
  for (let at = FILE_HEADER_BYTES; at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const start = offsets.at(-1) ?? at;
    if (at > start && isBlockHeader(bytes.subarray(at)) && findCrc16(bytes.subarray(start, at)) === 0)
      offsets.push(at);
  }
  return {
    bytes,
    blockFrames: view.getUint16(BLOCK_FRAMES_AT),
    lengthFrames: view.getUint32(LENGTH_FRAMES_AT),
    offsets: [...offsets, bytes.length],
  };
}

/** Changes a block's number, to 0 to 127. */
function renumber(block: Uint8Array, number: number): Uint8Array<ArrayBuffer> {
  const { numberBytes, headerBytes } = measureHeader(block);
  const renumbered = new Uint8Array(block.length + 1 - numberBytes);
  renumbered.set(block.subarray(0, BLOCK_NUMBER_AT));
  renumbered[BLOCK_NUMBER_AT] = number;
  renumbered.set(block.subarray(BLOCK_NUMBER_AT + numberBytes), BLOCK_NUMBER_AT + 1);
  const crc8At = headerBytes + 1 - numberBytes;
  renumbered[crc8At] = findCrc8(renumbered.subarray(0, crc8At));
  const crc16At = renumbered.length - CRC16_BYTES;
  viewOf(renumbered).setUint16(crc16At, findCrc16(renumbered.subarray(0, crc16At)));
  return renumbered;
}

/** Up to 128 of the blocks as a separate file, so that only what is played soon gets decoded. */
export function cutFlac(flac: FlacFile, { from, to }: { from: number; to: number }): Uint8Array<ArrayBuffer> {
  const { bytes, blockFrames, lengthFrames, offsets } = flac;
  const header = bytes.slice(0, FILE_HEADER_BYTES);
  viewOf(header).setUint32(LENGTH_FRAMES_AT, Math.min(lengthFrames, to * blockFrames) - from * blockFrames);
  const blocks = offsets
    .slice(from, to)
    .map((start, n) => renumber(bytes.subarray(start, offsets[from + n + 1]), n));
  const cut = new Uint8Array(header.length + blocks.reduce((sum, { length }) => sum + length, 0));
  cut.set(header);
  let at = header.length;
  for (const block of blocks) {
    cut.set(block, at);
    at += block.length;
  }
  return cut;
}
