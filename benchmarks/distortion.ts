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
  const { power, common, own } = findProducts(reference, estimate);
  const explained = common ** 2 / power;
  return 10 * Math.log10(explained / (own - explained));
}

/** How much of the reference is in the estimate: 1 at its own level. SI-SDR does not see it. */
export function shareOf(reference: Sound, estimate: Sound): number {
  const { power, common } = findProducts(reference, estimate);
  return common / power;
}

function findProducts(reference: Sound, estimate: Sound): { power: number; common: number; own: number } {
  const products = { power: 0, common: 0, own: 0 };
  reference.forEach((plane, channel) => {
    const other = estimate[channel === 0 ? 0 : 1];
    plane.forEach((value, n) => {
      const given = other[n] ?? 0;
      products.power += value ** 2;
      products.common += value * given;
      products.own += given ** 2;
    });
  });
  return products;
}
