import { release } from "../release.ts";
import type { FrameSource } from "./frame-source.ts";

/** The sum of sources of equal shape, frame by frame. */
export class SumSource implements FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #first: FrameSource;
  readonly #others: readonly FrameSource[];

  constructor([first, ...others]: readonly FrameSource[]) {
    if (first === undefined) throw new RangeError("nothing to sum");
    this.channels = first.channels;
    this.sampleRateHz = first.sampleRateHz;
    this.lengthFrames = first.lengthFrames;
    this.#first = first;
    this.#others = others;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const sum = this.#first.read(startFrame, lengthFrames);
    for (const other of this.#others) {
      const planes = other.read(startFrame, lengthFrames);
      sum.forEach((plane, channel) => {
        const added = planes[channel]!;
        for (let n = 0; n < plane.length; n++) plane[n]! += added[n]!;
      });
      release(planes);
    }
    return sum;
  }
}
