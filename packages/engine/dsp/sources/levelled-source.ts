import type { FrameSource } from "./frame-source.ts";

/** Mean and deviation of the mean of some channels over a whole input; a network that reads it levelled sees `(x − mean) / deviation`. */
export type InputLevel = { mean: number; deviation: number };

/** By the population, as Music-Source-Separation-Training does, or by the sample and with a floor, as Demucs does. */
export type Levelling = "population" | "sample";

/** Channels that are levelled together: one, or a pair. */
type Group = readonly [number, number?];

const BLOCK_FRAMES = 1 << 18;
/** Demucs adds it to the deviation. */
const SAMPLE_FLOOR = 1e-8;

/** The level of each group of channels. */
export function measureLevels(
  input: FrameSource,
  groups: readonly Group[],
  levelling: Levelling,
): InputLevel[] {
  const sums = new Float64Array(groups.length);
  const squares = new Float64Array(groups.length);
  for (let start = 0; start < input.lengthFrames; start += BLOCK_FRAMES) {
    const planes = input.read(start, Math.min(BLOCK_FRAMES, input.lengthFrames - start));
    groups.forEach(([first, second = first], group) => {
      const [left, right] = [planes[first]!, planes[second]!];
      for (let n = 0; n < left.length; n++) {
        const value = (left[n]! + right[n]!) / 2;
        sums[group]! += value;
        squares[group]! += value * value;
      }
    });
  }
  const count = input.lengthFrames;
  return Array.from(sums, (sum, group) => {
    const mean = sum / count;
    const power = Math.max(0, squares[group]! - sum * mean);
    if (levelling === "sample")
      return { mean, deviation: Math.sqrt(power / Math.max(1, count - 1)) + SAMPLE_FLOOR };
    // A constant has no deviation, and is the mean.
    return { mean, deviation: Math.sqrt(power / count) || 1 };
  });
}

/** What a silent frame becomes. */
export const levelOfSilence = ({ mean, deviation }: InputLevel): number => Math.fround(-mean / deviation);

/** Undoes what a `LevelledSource` does. */
export const fromLevel = (plane: Float32Array, { mean, deviation }: InputLevel): Float32Array =>
  plane.map((value) => value * deviation + mean);

/** Beyond the input there is silence as in any source, not the level of silence: the originals pad after levelling. */
export class LevelledSource implements FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #input: FrameSource;
  /** By channel. */
  readonly #levels: InputLevel[] = [];

  constructor(input: FrameSource, groups: readonly Group[], levels: readonly InputLevel[]) {
    this.channels = input.channels;
    this.sampleRateHz = input.sampleRateHz;
    this.lengthFrames = input.lengthFrames;
    this.#input = input;
    groups.forEach(([first, second = first], group) => {
      for (const channel of [first, second]) this.#levels[channel] = levels[group]!;
    });
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const from = Math.max(0, -startFrame);
    const to = Math.min(lengthFrames, this.lengthFrames - startFrame);
    return this.#input.read(startFrame, lengthFrames).map((plane, channel) => {
      const { mean, deviation } = this.#levels[channel]!;
      for (let n = from; n < to; n++) plane[n] = (plane[n]! - mean) / deviation;
      return plane;
    });
  }
}
