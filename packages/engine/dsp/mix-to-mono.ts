/** The mean of two equally loud channels is then 10 dB below half their difference. */
const INVERTED_BELOW = -0.8;

/**
 * Several channels as one, for a network that takes mono: their mean. If one of two is the other inverted, it is half the difference, since the mean
 * would be nearly silent.
 */
export function mixToMono(planes: readonly Float32Array[], isInverted = isOneInverted(planes)): Float32Array {
  const [first = new Float32Array(), ...others] = planes;
  if (others.length === 0) return first;
  const mono = first.slice();
  const sign = isInverted ? -1 : 1;
  for (const plane of others) for (let n = 0; n < mono.length; n++) mono[n]! += sign * plane[n]!;
  for (let n = 0; n < mono.length; n++) mono[n]! /= planes.length;
  return mono;
}

function isOneInverted(planes: readonly Float32Array[]): boolean {
  const likeness = new ChannelLikeness();
  likeness.add(planes);
  return likeness.isInverted;
}

/** How alike two channels are, judged by their changes from sample to sample, in which an offset and the rumble of wind count little. */
export class ChannelLikeness {
  #common = 0;
  #firstPower = 0;
  #secondPower = 0;

  /** Takes a part of them into account. Any other number of channels says nothing. */
  add([first, second, ...others]: readonly Float32Array[]): void {
    if (first === undefined || second === undefined || others.length > 0) return;
    for (let n = 1; n < first.length; n++) {
      const [a, b] = [first[n]! - first[n - 1]!, second[n]! - second[n - 1]!];
      this.#common += a * b;
      this.#firstPower += a * a;
      this.#secondPower += b * b;
    }
  }

  /** Whether one is the other inverted. */
  get isInverted(): boolean {
    return this.#common < INVERTED_BELOW * Math.sqrt(this.#firstPower * this.#secondPower);
  }
}
