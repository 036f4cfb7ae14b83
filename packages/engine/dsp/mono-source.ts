import type { FrameSource } from "./frame-source.ts";

/** A source mixed to mono: the mean of its channels. */
export class MonoSource implements FrameSource {
  readonly channels = 1;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #source: FrameSource;

  constructor(source: FrameSource) {
    this.sampleRateHz = source.sampleRateHz;
    this.lengthFrames = source.lengthFrames;
    this.#source = source;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const [mean = new Float32Array(lengthFrames), ...others] = this.#source.read(startFrame, lengthFrames);
    for (const plane of others) for (let n = 0; n < lengthFrames; n++) mean[n]! += plane[n]!;
    if (others.length > 0) for (let n = 0; n < lengthFrames; n++) mean[n]! /= others.length + 1;
    return [mean];
  }
}
