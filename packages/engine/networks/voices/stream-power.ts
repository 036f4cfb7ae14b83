import { STEPS_PER_SECOND } from "./turns.ts";
import { SAMPLE_RATE_HZ } from "./voice-separator.ts";

const STEP_FRAMES = SAMPLE_RATE_HZ / STEPS_PER_SECOND;

/** Two streams of sound at 16 kHz, one array a channel each. */
type Streams = { read(startFrame: number, lengthFrames: number): readonly [Float32Array[], Float32Array[]] };

/** How loud each of the two streams is in each step from `firstStep` on; of all its sound, and of that above 4 kHz or so. */
export type StreamPower = {
  firstStep: number;
  all: readonly [Float32Array, Float32Array];
  high: readonly [Float32Array, Float32Array];
};

export function measureStreams(
  streams: Streams,
  { firstStep, stepCount }: { firstStep: number; stepCount: number },
): StreamPower {
  const makeRows = () => [new Float32Array(stepCount), new Float32Array(stepCount)] as const;
  const [all, high] = [makeRows(), makeRows()];
  streams.read(firstStep * STEP_FRAMES, stepCount * STEP_FRAMES).forEach((planes, stream) => {
    for (const plane of planes) addPower(plane, { all: all[stream]!, high: high[stream]! });
  });
  return { firstStep, all, high };
}

function addPower(plane: Float32Array, { all, high }: { all: Float32Array; high: Float32Array }): void {
  let [before, oneBefore] = [0, 0];
  for (let n = 0; n < plane.length; n++) {
    const value = plane[n]!;
    const step = Math.floor(n / STEP_FRAMES);
    all[step]! += value * value;
    // Differences of differences: a filter that passes the highest band.
    const bend = value - 2 * before + oneBefore;
    high[step]! += bend * bend;
    oneBefore = before;
    before = value;
  }
}

/** Notes how much of the highest sound is the first stream's. */
export function noteHighShares(shares: Float32Array, { firstStep, high }: StreamPower): void {
  high[0].forEach((value, n) => {
    const sum = value + high[1][n]!;
    if (sum > 0) shares[firstStep + n] = value / sum;
  });
}
