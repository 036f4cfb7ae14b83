import type { FrameSource } from "./frame-source.ts";

/** The mean of a source's channels. */
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
    const planes = this.#source.read(startFrame, lengthFrames);
    const mono = new Float32Array(lengthFrames);
    for (const plane of planes) {
      for (let n = 0; n < lengthFrames; n++) mono[n]! += plane[n]! / planes.length;
    }
    return [mono];
  }
}
