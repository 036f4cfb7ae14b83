import { BitReader } from "./bit-reader.ts";

const LAYER_START = [0, 0, 1] as const;
const EXTENDED_ASPECT_RATIO = 15;
const VBV_PARAMETERS_BITS = 79;
const GRAYSCALE = 3;

/** Width and height from the video object layer of MPEG-4 part 2 (ISO/IEC 14496-2, 6.2.3); undefined if there is none, or if it is not rectangular. */
export function findMpeg4Size(bytes: Uint8Array): { width: number; height: number } | undefined {
  const start = bytes.findIndex(
    (_, i) =>
      LAYER_START.every((byte, offset) => bytes[i + offset] === byte) &&
      ((bytes[i + 3] ?? 0) & 0xf0) === 0x20,
  );
  if (start < 0) return undefined;
  const bits = new BitReader(bytes.subarray(start + 4));
  bits.skip(9);
  let version = 1;
  if (bits.read(1) === 1) {
    version = bits.read(4);
    bits.skip(3);
  }
  if (bits.read(4) === EXTENDED_ASPECT_RATIO) bits.skip(16);
  if (bits.read(1) === 1) {
    bits.skip(3);
    if (bits.read(1) === 1) bits.skip(VBV_PARAMETERS_BITS);
  }
  const shape = bits.read(2);
  if (shape === GRAYSCALE && version !== 1) bits.skip(4);
  bits.skip(1);
  const ticksPerSecond = bits.read(16);
  bits.skip(1);
  if (bits.read(1) === 1) bits.skip(Math.max(1, Math.ceil(Math.log2(ticksPerSecond))));
  if (shape !== 0) return undefined;
  bits.skip(1);
  const width = bits.read(13);
  bits.skip(1);
  const height = bits.read(13);
  return width > 0 && height > 0 ? { width, height } : undefined;
}
