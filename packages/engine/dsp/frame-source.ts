/**
 * Sound that can be read at any place: the one shape in which decoded inputs, spooled stems, resampled and
 * combined signals meet. Reading must not depend on what was read before, so any chunking gives the same
 * samples. A frame is one sample across channels.
 */
export interface FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  /** One array a channel, each of `lengthFrames`, and the caller's own; zeros before the start and past the end. */
  read(startFrame: number, lengthFrames: number): Float32Array[];
}

/** The length in whole milliseconds, as times are written: rounding brings none of them beyond the end. */
export function toWrittenSeconds({
  lengthFrames,
  sampleRateHz,
}: Pick<FrameSource, "lengthFrames" | "sampleRateHz">): number {
  return Math.floor((lengthFrames * 1000) / sampleRateHz) / 1000;
}
