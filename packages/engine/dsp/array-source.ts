import type { FrameSource } from "./frame-source.ts";

/** Planes in memory as a source. */
export class ArraySource implements FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #planes: Float32Array[];

  constructor(planes: Float32Array[], sampleRateHz: number) {
    this.channels = planes.length;
    this.sampleRateHz = sampleRateHz;
    this.lengthFrames = planes[0]?.length ?? 0;
    this.#planes = planes;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    return this.#planes.map((plane) =>
      Float32Array.from({ length: lengthFrames }, (_, n) => plane[startFrame + n] ?? 0),
    );
  }
}
