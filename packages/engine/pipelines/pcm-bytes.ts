/** How many bytes of raw float so many frames are. */
export const toPcmBytes = ({ lengthFrames, channels }: { lengthFrames: number; channels: number }) =>
  lengthFrames * channels * Float32Array.BYTES_PER_ELEMENT;
