import type { Sound } from "./evaluation-pieces.ts";

/** Power of the reference over that of the difference, in dB, over both channels. */
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

/** The same with the best gain applied to the estimate. */
export function scaleInvariantSdr(reference: Sound, estimate: Sound): number {
  let power = 0;
  let common = 0;
  let own = 0;
  reference.forEach((plane, channel) => {
    const other = estimate[channel === 0 ? 0 : 1];
    plane.forEach((value, n) => {
      const given = other[n] ?? 0;
      power += value ** 2;
      common += value * given;
      own += given ** 2;
    });
  });
  const explained = common ** 2 / power;
  return 10 * Math.log10(explained / (own - explained));
}
