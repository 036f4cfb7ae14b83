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

/** The table for the first byte of a pair. */
const CRC16_BEFORE = CRC16.map((value) => ((value << 8) & 0xffff) ^ CRC16[value >> 8]!);

/** Over a whole FLAC frame, two bytes per step, because each step depends on the previous one. */
export function crc16(bytes: Uint8Array): number {
  const { length } = bytes;
  let value = 0;
  let n = 0;
  for (; n + 1 < length; n += 2)
    value = CRC16_BEFORE[(value >> 8) ^ bytes[n]!]! ^ CRC16[(value & 0xff) ^ bytes[n + 1]!]!;
  if (n < length) value = ((value << 8) & 0xffff) ^ CRC16[(value >> 8) ^ bytes[n]!]!;
  return value;
}
