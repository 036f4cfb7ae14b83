import { BitWriter } from "./bit-writer.ts";
import { crc8, crc16 } from "./flac-checksums.ts";
import { guessBits, planSubframe, type SubframePlan, writeSubframe } from "./flac-subframe.ts";

const BLOCK_FRAMES = 4096;
const CONTAINER_BITS = 24;
/** Enough for listening and null tests: 2^-19 is 125 dB below full scale. The bits below are noise and would be most of the file. */
const KEPT_BITS = 20;
const MIN_KEPT_BITS = 8;

const LEFT_RIGHT = 0b0001;
const LEFT_SIDE = 0b1000;
const SIDE_RIGHT = 0b1001;

export type FlacOptions = {
  sampleRateHz: number;
  /** The value of full scale; samples stay below it by at least a millionth. */
  gain: number;
  /** A block that would take more is quantized to fewer bits. */
  bitsPerFrameMax: number;
};

/** Encodes one or two channels as a 24-bit FLAC file (RFC 9639) whose lowest bits are zero. */
export function encodeFlac(planes: readonly Float32Array[], options: FlacOptions): Uint8Array<ArrayBuffer> {
  const lengthFrames = planes[0]?.length ?? 0;
  const writer = new BitWriter(64 + lengthFrames * planes.length * 3);
  writeStreamInfo(writer, { ...options, channels: planes.length, lengthFrames });
  for (let start = 0; start < lengthFrames; start += BLOCK_FRAMES) {
    const block = planes.map((plane) => plane.subarray(start, start + BLOCK_FRAMES));
    writeFrame(writer, planBlock(block, options), start / BLOCK_FRAMES);
  }
  return writer.view();
}

function writeStreamInfo(
  writer: BitWriter,
  { sampleRateHz, channels, lengthFrames }: { sampleRateHz: number; channels: number; lengthFrames: number },
): void {
  for (const letter of "fLaC") writer.put(letter.charCodeAt(0), 8);
  writer.put(0x80, 8);
  writer.put(34, 24);
  writer.put(BLOCK_FRAMES, 16);
  writer.put(BLOCK_FRAMES, 16);
  // Unknown frame sizes.
  writer.put(0, 24);
  writer.put(0, 24);
  writer.put(sampleRateHz, 20);
  writer.put(channels - 1, 3);
  writer.put(CONTAINER_BITS - 1, 5);
  writer.put(0, 12);
  writer.put(lengthFrames, 24);
  // No MD5.
  for (let n = 0; n < 16; n++) writer.put(0, 8);
}

type Block = { assignment: number; wastedBits: number; lengthFrames: number; subframes: SubframePlan[] };

const scratch = [0, 1].map(() => ({
  samples: new Int32Array(BLOCK_FRAMES),
  residuals: new Int32Array(BLOCK_FRAMES),
}));
const sideScratch = new Int32Array(BLOCK_FRAMES);

function quantise(plane: Float32Array, scale: number, into: Int32Array): Int32Array {
  const { length } = plane;
  for (let n = 0; n < length; n++) into[n] = Math.floor(plane[n]! * scale + 0.5);
  return into.subarray(0, length);
}

/** With as many bits as fit the limit. */
function planBlock(block: readonly Float32Array[], { gain, bitsPerFrameMax }: FlacOptions): Block {
  const lengthFrames = block[0]?.length ?? 0;
  for (let keptBits = KEPT_BITS; ; ) {
    const scale = 2 ** (keptBits - 1) / gain;
    const samples = block.map((plane, channel) => quantise(plane, scale, scratch[channel]!.samples));
    const { assignment, subframes } = planChannels(samples, keptBits);
    const sizeBits = subframes.reduce((sum, plan) => sum + plan.sizeBits, 0);
    const excessBits = (sizeBits / lengthFrames - bitsPerFrameMax) / block.length;
    // A short block is mostly header and takes little space anyway.
    if (excessBits <= 0 || keptBits <= MIN_KEPT_BITS || lengthFrames < BLOCK_FRAMES)
      return { assignment, wastedBits: CONTAINER_BITS - keptBits, lengthFrames, subframes };
    keptBits = Math.max(MIN_KEPT_BITS, keptBits - Math.ceil(excessBits));
  }
}

function planChannels(
  samples: readonly Int32Array[],
  keptBits: number,
): Pick<Block, "assignment" | "subframes"> {
  const plan = (channel: number, from: Int32Array, { order }: { order: number }, bitsPerSample = keptBits) =>
    planSubframe(from, { bitsPerSample, order, residuals: scratch[channel]!.residuals });
  const [left, right] = samples;
  if (left === undefined) throw new Error("a FLAC file needs at least one channel");
  const guessLeft = guessBits(left);
  if (right === undefined) return { assignment: 0, subframes: [plan(0, left, guessLeft)] };
  const side = sideScratch.subarray(0, left.length);
  for (let n = 0; n < left.length; n++) side[n] = left[n]! - right[n]!;
  const guessRight = guessBits(right);
  const guessSide = guessBits(side);
  if (guessSide.bits >= Math.max(guessLeft.bits, guessRight.bits))
    return { assignment: LEFT_RIGHT, subframes: [plan(0, left, guessLeft), plan(1, right, guessRight)] };
  if (guessLeft.bits <= guessRight.bits)
    return {
      assignment: LEFT_SIDE,
      subframes: [plan(0, left, guessLeft), plan(1, side, guessSide, keptBits + 1)],
    };
  return {
    assignment: SIDE_RIGHT,
    subframes: [plan(0, side, guessSide, keptBits + 1), plan(1, right, guessRight)],
  };
}

/** UTF-8-like variable-length coding. */
function putFrameNumber(writer: BitWriter, number: number): void {
  if (number < 0x80) {
    writer.put(number, 8);
    return;
  }
  const more = number < 0x800 ? 1 : number < 0x10000 ? 2 : 3;
  writer.put(((0xff00 >> (more + 1)) & 0xff) | (number >> (6 * more)), 8);
  for (let n = more - 1; n >= 0; n--) writer.put(0x80 | ((number >> (6 * n)) & 0x3f), 8);
}

function writeFrame(writer: BitWriter, block: Block, number: number): void {
  const start = writer.lengthBytes;
  const { assignment, wastedBits, lengthFrames, subframes } = block;
  const sizeBits = subframes.reduce((sum, plan) => sum + plan.sizeBits, 0);
  writer.reserve(64 + Math.ceil(sizeBits / 8) + 4 * lengthFrames);
  writer.put(0xfff8, 16);
  const isWhole = lengthFrames === BLOCK_FRAMES;
  writer.put(((isWhole ? 0b1100 : 0b0111) << 4) | 0, 8);
  writer.put((assignment << 4) | (0b110 << 1), 8);
  putFrameNumber(writer, number);
  if (!isWhole) writer.put(lengthFrames - 1, 16);
  writer.put(crc8(writer.view(start)), 8);
  for (const plan of subframes) writeSubframe(writer, plan, wastedBits);
  writer.alignToByte();
  writer.put(crc16(writer.view(start)), 16);
}
