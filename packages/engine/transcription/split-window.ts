import { SPEECH_RATE_HZ } from "../networks/whisper/log-mel.ts";
import { makeWindow, type SpeechWindow } from "./speech-windows.ts";

/** The cut is where this long is quietest. */
const QUIET_FRAMES = 0.2 * SPEECH_RATE_HZ;
const HOP_FRAMES = QUIET_FRAMES / 4;

/** Cuts a window at the quietest moment of its middle half. */
export function splitWindow({ pieces, lengthFrames }: SpeechWindow, samples: Float32Array): SpeechWindow[] {
  const cut = findQuietest(samples, lengthFrames / 4, (3 * lengthFrames) / 4);
  const take = (from: number, to: number) =>
    makeWindow(
      pieces.flatMap(({ sourceFrame, windowFrame, lengthFrames: length }) => {
        const [start, end] = [Math.max(from, windowFrame), Math.min(to, windowFrame + length)];
        return end > start
          ? [{ sourceFrame: sourceFrame + start - windowFrame, lengthFrames: end - start }]
          : [];
      }),
    );
  return [take(0, cut), take(cut, lengthFrames)];
}

function findQuietest(samples: Float32Array, from: number, to: number): number {
  let [quietest, at] = [Number.POSITIVE_INFINITY, Math.round((from + to) / 2)];
  for (let start = Math.round(from); start + QUIET_FRAMES <= to; start += HOP_FRAMES) {
    const power = samples
      .subarray(start, start + QUIET_FRAMES)
      .reduce((sum, value) => sum + value * value, 0);
    if (power < quietest) [quietest, at] = [power, start + QUIET_FRAMES / 2];
  }
  return at;
}
