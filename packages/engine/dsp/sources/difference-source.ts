import { release } from "../release.ts";
import type { FrameSource } from "./frame-source.ts";

/** `whole` minus `part`, frame by frame, over the length of `whole`. */
export class DifferenceSource implements FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #whole: FrameSource;
  readonly #part: FrameSource;

  constructor(whole: FrameSource, part: FrameSource) {
    if (whole.channels !== part.channels || whole.sampleRateHz !== part.sampleRateHz) {
      throw new RangeError("sources to subtract must have the same sample rate and channel count");
    }
    this.channels = whole.channels;
    this.sampleRateHz = whole.sampleRateHz;
    this.lengthFrames = whole.lengthFrames;
    this.#whole = whole;
    this.#part = part;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const whole = this.#whole.read(startFrame, lengthFrames);
    const part = this.#part.read(startFrame, lengthFrames);
    const left = subtractPlanes(whole, part);
    release([...whole, ...part]);
    return left;
  }
}

/** `whole` minus `part` for planes of equal shape. */
export function subtractPlanes(whole: Float32Array[], part: Float32Array[]): Float32Array[] {
  return whole.map((plane, channel) => {
    const taken = part[channel]!;
    const left = new Float32Array(plane.length);
    for (let n = 0; n < plane.length; n++) left[n] = plane[n]! - taken[n]!;
    return left;
  });
}
