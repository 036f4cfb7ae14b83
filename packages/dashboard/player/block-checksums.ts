const makeTable = (polynomial: number, bits: number) =>
  Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++)
      value = ((value << 1) ^ (value >> (bits - 1) ? polynomial : 0)) & (2 ** bits - 1);
    return value;
  });
const CRC8 = makeTable(0x07, 8);
const CRC16 = makeTable(0x8005, 16);

/** Over the header of a FLAC block. */
export const findCrc8 = (bytes: Uint8Array) => bytes.reduce((crc, byte) => CRC8[crc ^ byte] ?? 0, 0);

/** Over a FLAC block; 0 if the bytes include the block's own checksum. */
export function findCrc16(bytes: Uint8Array): number {
  let crc = 0;
  // Not with reduce: each seek checks a megabyte.
  for (let n = 0; n < bytes.length; n++)
    crc = ((crc << 8) & 0xff00) ^ (CRC16[(crc >> 8) ^ (bytes[n] ?? 0)] ?? 0);
  return crc;
}
