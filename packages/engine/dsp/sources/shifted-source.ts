import type { FrameSource } from "./frame-source.ts";

/** A source delayed by `delayFrames`, or advanced if that is negative. */
export class ShiftedSource implements FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #source: FrameSource;
  readonly #delayFrames: number;

  constructor(source: FrameSource, delayFrames: number) {
    this.channels = source.channels;
    this.sampleRateHz = source.sampleRateHz;
    this.lengthFrames = source.lengthFrames + delayFrames;
    this.#source = source;
    this.#delayFrames = delayFrames;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    return this.#source.read(startFrame - this.#delayFrames, lengthFrames);
  }
}
