/** The normalisation used in training: subtract the mean, divide by the deviation. */
export type StandardScore = { mean: number; deviation: number };

/** Avoids dividing by zero in silence. */
export const SCORE_FLOOR = 1e-5;

/** Normalises to mean 0 and deviation 1, in place. */
export function normalise(values: Float32Array): StandardScore {
  const count = values.length;
  let sum = 0;
  for (let n = 0; n < count; n++) sum += values[n]!;
  const mean = sum / count;
  let squares = 0;
  for (let n = 0; n < count; n++) {
    const apart = values[n]! - mean;
    squares += apart * apart;
  }
  const deviation = Math.sqrt(squares / (count - 1));
  const gain = 1 / (deviation + SCORE_FLOOR);
  for (let n = 0; n < count; n++) values[n] = (values[n]! - mean) * gain;
  return { mean, deviation };
}

/** Undoes `normalise` on the network's output. */
export function denormalise(values: Float32Array, { mean, deviation }: StandardScore): void {
  for (let n = 0; n < values.length; n++) values[n] = values[n]! * deviation + mean;
}
