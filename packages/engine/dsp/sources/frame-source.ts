/**
 * Audio with random access: the common interface of decoded inputs, spooled stems, resampled and combined signals. A read must not depend on earlier
 * reads, so any chunking returns the same samples. A frame is one sample across channels.
 */
export interface FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  /** One array per channel, each `lengthFrames` long and owned by the caller; zeros before the start and past the end. */
  read(startFrame: number, lengthFrames: number): Float32Array[];
}

/** The length rounded down to milliseconds, the resolution of written times, so that none of them is past the end. */
export function toWrittenSeconds({
  lengthFrames,
  sampleRateHz,
}: Pick<FrameSource, "lengthFrames" | "sampleRateHz">): number {
  return Math.floor((lengthFrames * 1000) / sampleRateHz) / 1000;
}
