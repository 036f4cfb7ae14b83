/** Modified Bessel function of the first kind, order zero, by its power series. */
function besselI0(x: number): number {
  const quarter = (x * x) / 4;
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * 1e-17; k++) {
    term *= quarter / (k * k);
    sum += term;
  }
  return sum;
}

/** Kaiser window over −1 to 1 with a stopband `attenuationDb` down (Kaiser's formula for A > 50). */
export function makeKaiserWindow(attenuationDb: number): (position: number) => number {
  const beta = 0.1102 * (attenuationDb - 8.7);
  const peak = besselI0(beta);
  return (position) => {
    const rest = 1 - position * position;
    return rest < 0 ? 0 : besselI0(beta * Math.sqrt(rest)) / peak;
  };
}

/** Length in samples of a Kaiser-windowed filter with that stopband; `transition` is in cycles per sample. */
export function kaiserFilterLength(attenuationDb: number, transition: number): number {
  return (attenuationDb - 7.95) / (14.36 * transition);
}
