import {
  AV_PIX_FMT_GBRP,
  AV_PIX_FMT_GBRP10LE,
  AV_PIX_FMT_GBRP12LE,
  AV_PIX_FMT_YUV420P,
  AV_PIX_FMT_YUV420P10LE,
  AV_PIX_FMT_YUV420P12LE,
  AV_PIX_FMT_YUV422P,
  AV_PIX_FMT_YUV422P10LE,
  AV_PIX_FMT_YUV422P12LE,
  AV_PIX_FMT_YUV440P,
  AV_PIX_FMT_YUV440P10LE,
  AV_PIX_FMT_YUV440P12LE,
  AV_PIX_FMT_YUV444P,
  AV_PIX_FMT_YUV444P10LE,
  AV_PIX_FMT_YUV444P12LE,
  type AVPixelFormat,
} from "node-av/constants";
import { BitReader } from "./bit-reader.ts";

const FRAME_MARKER = 2;
const SYNC_CODE = 0x498342;
const COLOR_SPACE_RGB = 7;

/** For 8, 10 and 12 bits. */
const FORMATS: Record<"4:2:0" | "4:2:2" | "4:4:0" | "4:4:4" | "rgb", readonly AVPixelFormat[]> = {
  "4:2:0": [AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_YUV420P12LE],
  "4:2:2": [AV_PIX_FMT_YUV422P, AV_PIX_FMT_YUV422P10LE, AV_PIX_FMT_YUV422P12LE],
  "4:4:0": [AV_PIX_FMT_YUV440P, AV_PIX_FMT_YUV440P10LE, AV_PIX_FMT_YUV440P12LE],
  "4:4:4": [AV_PIX_FMT_YUV444P, AV_PIX_FMT_YUV444P10LE, AV_PIX_FMT_YUV444P12LE],
  rgb: [AV_PIX_FMT_GBRP, AV_PIX_FMT_GBRP10LE, AV_PIX_FMT_GBRP12LE],
};

/** The pixel format from the header of a VP9 key frame (VP9 Bitstream Specification, 6.2 and 6.2.2); undefined if it is not one. */
export function findVp9PixelFormat(frame: Uint8Array): AVPixelFormat | undefined {
  const bits = new BitReader(frame);
  if (bits.read(2) !== FRAME_MARKER) return undefined;
  const profile = bits.read(1) + 2 * bits.read(1);
  if (profile === 3) bits.skip(1);
  const showsExistingFrame = bits.read(1) === 1;
  const isKeyFrame = bits.read(1) === 0;
  bits.skip(2);
  if (showsExistingFrame || !isKeyFrame || bits.read(24) !== SYNC_CODE) return undefined;
  const depth = profile < 2 ? 0 : 1 + bits.read(1);
  return FORMATS[readSampling(bits, profile % 2 === 1)][depth];
}

function readSampling(bits: BitReader, isFree: boolean): keyof typeof FORMATS {
  if (bits.read(3) === COLOR_SPACE_RGB) return "rgb";
  bits.skip(1);
  if (!isFree) return "4:2:0";
  const isHalfWide = bits.read(1) === 1;
  const isHalfHigh = bits.read(1) === 1;
  return isHalfWide ? (isHalfHigh ? "4:2:0" : "4:2:2") : isHalfHigh ? "4:4:0" : "4:4:4";
}
