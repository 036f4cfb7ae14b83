/**
 * `signal` padded with `left` and `right` frames mirrored at its ends, without repeating the end sample (`reflect` in PyTorch). The signal must be
 * longer than either pad.
 */
export function padByReflection(signal: Float32Array, pad: { left: number; right: number }): Float32Array {
  const length = signal.length;
  if (length <= Math.max(pad.left, pad.right)) {
    throw new RangeError(`cannot reflect ${length} frames over ${pad.left} and ${pad.right}`);
  }
  const padded = new Float32Array(pad.left + length + pad.right);
  padded.set(signal, pad.left);
  for (let n = 0; n < pad.left; n++) padded[n] = signal[pad.left - n]!;
  const end = pad.left + length;
  for (let n = 0; n < pad.right; n++) padded[end + n] = signal[length - 2 - n]!;
  return padded;
}
