import type { BitWriter } from "./bit-writer.ts";

/** Log2 of the number of partitions of a block's residuals, each with its own Rice parameter. */
const PARTITION_ORDER = 3;
/** Predictors are compared on samples of the block: the choice is as good, in a quarter of the time. */
const PROBE_FRAMES = 128;
const PROBE_EVERY = 1024;
const FIXED_ORDERS = 4;
const FIXED_TYPE = 0b001000;
const RICE_5_BIT = 0b01;
/** The maximum Rice parameter. */
const MAX_LOW = 24;

/** How one channel of a block will be written. */
export type SubframePlan = {
  samples: Int32Array;
  bitsPerSample: number;
  order: number;
  isSilent: boolean;
  /** Prediction errors, zigzag-encoded: 0, -1, 1, -2, … become 0, 1, 2, 3, … */
  residuals: Int32Array;
  partitionOrder: number;
  parameters: number[];
  sizeBits: number;
};

/** The sum of each fixed predictor's absolute errors, over parts of the block. */
function probeOrders(samples: Int32Array): number[] {
  const sums = [0, 0, 0, 0];
  for (let start = 3; start < samples.length; start += PROBE_EVERY) {
    const end = Math.min(samples.length, start + PROBE_FRAMES);
    let s0 = 0;
    let s1 = 0;
    let s2 = 0;
    let s3 = 0;
    for (let n = start; n < end; n++) {
      const a = samples[n]!;
      const b = samples[n - 1]!;
      const c = samples[n - 2]!;
      const d = samples[n - 3]!;
      s0 += Math.abs(a);
      s1 += Math.abs(a - b);
      s2 += Math.abs(a - 2 * b + c);
      s3 += Math.abs(a - 3 * b + 3 * c - d);
    }
    for (const [order, sum] of [s0, s1, s2, s3].entries()) sums[order]! += sum;
  }
  return sums;
}

/** A rough estimate of the size, good enough to choose between two encodings of a block. */
export function guessBits(samples: Int32Array): { order: number; bits: number } {
  const sums = probeOrders(samples);
  const least = Math.min(...sums);
  const probed = Math.max(1, Math.ceil(samples.length / PROBE_EVERY) * PROBE_FRAMES);
  return { order: sums.indexOf(least), bits: samples.length * Math.log2(1 + least / probed) };
}

/** The sum of those it fills. */
function fillResiduals(
  plan: Pick<SubframePlan, "samples" | "order" | "residuals">,
  from: number,
  to: number,
): number {
  const { samples, order, residuals } = plan;
  let sum = 0;
  const put = (n: number, value: number) => {
    const residual = (value << 1) ^ (value >> 31);
    residuals[n] = residual;
    sum += residual;
  };
  // One loop per order: a branch inside would run for every sample.
  if (order === 0) for (let n = from; n < to; n++) put(n, samples[n]!);
  else if (order === 1) for (let n = from; n < to; n++) put(n, samples[n]! - samples[n - 1]!);
  else if (order === 2)
    for (let n = from; n < to; n++) put(n, samples[n]! - 2 * samples[n - 1]! + samples[n - 2]!);
  else
    for (let n = from; n < to; n++)
      put(n, samples[n]! + 3 * (samples[n - 2]! - samples[n - 1]!) - samples[n - 3]!);
  return sum;
}

export function planSubframe(
  samples: Int32Array,
  options: { bitsPerSample: number; order: number; residuals: Int32Array },
): SubframePlan {
  const { bitsPerSample, residuals } = options;
  const { length } = samples;
  const isWhole = length % (1 << PARTITION_ORDER) === 0 && length >> PARTITION_ORDER > FIXED_ORDERS;
  const partitionOrder = isWhole ? PARTITION_ORDER : 0;
  const order = Math.min(options.order, length);
  const plan = { samples, bitsPerSample, order, residuals, partitionOrder, parameters: [] as number[] };
  if (samples.every((value) => value === 0)) return { ...plan, isSilent: true, sizeBits: 8 + bitsPerSample };
  const partFrames = length >> partitionOrder;
  let sizeBits = 8 + order * bitsPerSample + 6;
  for (let start = 0; start < length; start += partFrames) {
    const from = Math.max(order, start);
    const sum = fillResiduals(plan, from, start + partFrames);
    const count = Math.max(1, start + partFrames - from);
    const low = Math.max(0, Math.min(MAX_LOW, Math.floor(Math.log2((0.7 * sum) / count + 1))));
    plan.parameters.push(low);
    sizeBits += 5 + count * (low + 1) + Math.floor(sum / 2 ** low);
  }
  return { ...plan, isSilent: false, sizeBits };
}

export function writeSubframe(writer: BitWriter, plan: SubframePlan, wastedBits: number): void {
  const { samples, bitsPerSample, order, parameters, partitionOrder, residuals } = plan;
  writer.put(plan.isSilent ? 0 : FIXED_TYPE | order, 7);
  writer.put(wastedBits > 0 ? 1 : 0, 1);
  if (wastedBits > 0) writer.put(1, wastedBits);
  if (plan.isSilent) {
    writer.putSigned(0, bitsPerSample);
    return;
  }
  for (const value of samples.subarray(0, order)) writer.putSigned(value, bitsPerSample);
  writer.put(RICE_5_BIT, 2);
  writer.put(partitionOrder, 4);
  const partFrames = samples.length >> partitionOrder;
  parameters.forEach((low, part) => {
    writer.put(low, 5);
    writer.putRice(residuals, {
      from: Math.max(order, part * partFrames),
      to: (part + 1) * partFrames,
      low,
    });
  });
}
