function makeTable(polynomial: number, bits: number): Uint16Array {
  const top = 1 << (bits - 1);
  const mask = (1 << bits) - 1;
  return Uint16Array.from({ length: 256 }, (_, byte) => {
    let value = byte << (bits - 8);
    for (let bit = 0; bit < 8; bit++) value = value & top ? ((value << 1) ^ polynomial) & mask : value << 1;
    return value & mask;
  });
}

const CRC8 = makeTable(0x07, 8);
const CRC16 = makeTable(0x8005, 16);

/** Over the header of a FLAC frame. */
export const crc8 = (bytes: Uint8Array): number => bytes.reduce((value, byte) => CRC8[value ^ byte]!, 0);

/** From the table for a byte to that for one a byte earlier. */
const toEarlier = (table: Uint16Array) => table.map((value) => ((value << 8) & 0xffff) ^ CRC16[value >> 8]!);
const CRC16_SECOND_LAST = toEarlier(CRC16);
const CRC16_SECOND = toEarlier(CRC16_SECOND_LAST);
const CRC16_FIRST = toEarlier(CRC16_SECOND);

/** Over a whole FLAC frame, four bytes per step, because each step depends on the previous one. */
export function crc16(bytes: Uint8Array): number {
  const { length } = bytes;
  let value = 0;
  let n = 0;
  for (; n + 3 < length; n += 4)
    value =
      CRC16_FIRST[(value >> 8) ^ bytes[n]!]! ^
      CRC16_SECOND[(value & 0xff) ^ bytes[n + 1]!]! ^
      CRC16_SECOND_LAST[bytes[n + 2]!]! ^
      CRC16[bytes[n + 3]!]!;
  for (; n < length; n++) value = ((value << 8) & 0xffff) ^ CRC16[(value >> 8) ^ bytes[n]!]!;
  return value;
}
