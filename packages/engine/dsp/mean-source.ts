import type { FrameSource } from "./frame-source.ts";

/** The mean of sources of one shape, frame by frame. */
export class MeanSource implements FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #sources: readonly FrameSource[];

  constructor(sources: readonly FrameSource[]) {
    const [first, ...others] = sources;
    if (first === undefined) throw new RangeError("a mean needs at least one source");
    for (const { channels, sampleRateHz, lengthFrames } of others) {
      if (
        channels !== first.channels ||
        sampleRateHz !== first.sampleRateHz ||
        lengthFrames !== first.lengthFrames
      ) {
        throw new RangeError("a mean needs sources of one rate, length and channel count");
      }
    }
    this.channels = first.channels;
    this.sampleRateHz = first.sampleRateHz;
    this.lengthFrames = first.lengthFrames;
    this.#sources = sources;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const readings = this.#sources.map((source) => source.read(startFrame, lengthFrames));
    return Array.from({ length: this.channels }, (_, channel) =>
      Float32Array.from({ length: lengthFrames }, (_, n) => {
        // In double precision: the mean of equal readings is that reading, bit for bit.
        let sum = 0;
        for (const planes of readings) sum += planes[channel]![n]!;
        return sum / readings.length;
      }),
    );
  }
}
