/** The size of this many frames as raw float. */
export const toPcmBytes = ({ lengthFrames, channels }: { lengthFrames: number; channels: number }) =>
  lengthFrames * channels * Float32Array.BYTES_PER_ELEMENT;
