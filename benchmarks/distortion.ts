import type { Sound } from "./evaluation-pieces.ts";

/** Power of the reference over that of what differs from it, in dB, over both channels. */
export function signalToDistortion(reference: Sound, estimate: Sound): number {
  let power = 0;
  let error = 0;
  reference.forEach((plane, channel) => {
    const other = estimate[channel === 0 ? 0 : 1];
    plane.forEach((value, n) => {
      power += value ** 2;
      error += (value - (other[n] ?? 0)) ** 2;
    });
  });
  return 10 * Math.log10(power / error);
}
