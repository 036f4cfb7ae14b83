/**
 * Several channels as one, for a network that takes mono: their mean, or half the difference of two if that is louder. The mean of a recording with one
 * channel inverted would be silence.
 */
export function mixToMono(planes: readonly Float32Array[], sign = findMonoSign(planes)): Float32Array {
  const [first = new Float32Array(), ...others] = planes;
  if (others.length === 0) return first;
  const mono = first.slice();
  for (const plane of others) for (let n = 0; n < mono.length; n++) mono[n]! += sign * plane[n]!;
  for (let n = 0; n < mono.length; n++) mono[n]! /= planes.length;
  return mono;
}

/** −1 if the difference of two channels is louder than their sum. */
export function findMonoSign(planes: readonly Float32Array[]): 1 | -1 {
  return findCommonPower(planes) < 0 ? -1 : 1;
}

/** What two channels have in common; 0 for any other number. */
export function findCommonPower([first, second, ...others]: readonly Float32Array[]): number {
  if (first === undefined || second === undefined || others.length > 0) return 0;
  let sum = 0;
  for (let n = 0; n < first.length; n++) sum += first[n]! * second[n]!;
  return sum;
}
