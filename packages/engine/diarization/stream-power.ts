import { VOICE_RATE_HZ } from "../networks/voices/voice-separator.ts";
import { STEPS_PER_SECOND } from "./turns.ts";

const STEP_FRAMES = VOICE_RATE_HZ / STEPS_PER_SECOND;

/** Two streams at 16 kHz, one array per channel. */
type Streams = { read(startFrame: number, lengthFrames: number): readonly [Float32Array[], Float32Array[]] };

/** Power of the two streams in each step from `firstStep` on: of the full band, and above about 4 kHz. */
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
    // The second difference: a simple high-pass filter.
    const bend = value - 2 * before + oneBefore;
    high[step]! += bend * bend;
    oneBefore = before;
    before = value;
  }
}

/** Records the first stream's share of the high-band power. */
export function noteHighShares(shares: Float32Array, { firstStep, high }: StreamPower): void {
  high[0].forEach((value, n) => {
    const sum = value + high[1][n]!;
    if (sum > 0) shares[firstStep + n] = value / sum;
  });
}
