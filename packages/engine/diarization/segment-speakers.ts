import type { FrameSource } from "../dsp/sources/frame-source.ts";
import type { SpeechRegion } from "../networks/silero-vad/speech-regions.ts";
import { PLACES, type SpeakerTurns, WINDOW_STEPS } from "../networks/voices/speaker-segmentation.ts";
import { ROWS_PER_SECOND, VoicePower } from "../networks/voices/voice-power.ts";
import { bridgePauses, listRuns, type StepRun } from "./step-runs.ts";
import { STEPS_PER_SECOND } from "./turns.ts";

const ROWS_PER_STEP = ROWS_PER_SECOND / STEPS_PER_SECOND;
/** Windows overlap by half. Each decides its middle; the rest is context. */
const HOP_STEPS = WINDOW_STEPS / 2;
const MARGIN_STEPS = WINDOW_STEPS / 4;
/** A voice counts as active from this probability on. */
export const LEAST_PROBABILITY = 0.5;
/** Longest pause within a stretch of one voice, and its shortest length. */
const PAUSE_STEPS = STEPS_PER_SECOND / 10;
const SHORTEST_STEPS = STEPS_PER_SECOND / 2;

/** Ten seconds: each place's probability of an active voice, step by step. `middle`, in steps of the recording, is the part this window decides. */
export type HeardWindow = { firstStep: number; probabilities: Float32Array[]; middle: StepRun };

/** Half a second or more of one voice; `isAlone` marks the steps without another one. */
export type Stretch = StepRun & { isAlone: Uint8Array; seconds: number };

/** Runs the turns network over all windows of a mono recording at 16 kHz that contain speech. */
export async function hearWindows(
  recording: FrameSource,
  speech: readonly SpeechRegion[],
  { turns, onProgress }: { turns: SpeakerTurns; onProgress: (fraction: number) => void },
): Promise<HeardWindow[]> {
  const stepFrames = recording.sampleRateHz / STEPS_PER_SECOND;
  const stepCount = Math.floor(recording.lengthFrames / stepFrames);
  const power = new VoicePower();
  const windows: HeardWindow[] = [];
  for (const firstStep of listStarts(stepCount)) {
    onProgress(firstStep / stepCount);
    const steps = Math.min(WINDOW_STEPS, stepCount - firstStep);
    const [start, end] = [firstStep * stepFrames, (firstStep + steps) * stepFrames];
    if (!speech.some(({ startFrame, endFrame }) => startFrame < end && endFrame > start)) continue;
    const heard = power.read(recording, {
      firstRow: firstStep * ROWS_PER_STEP,
      rows: steps * ROWS_PER_STEP,
    });
    const from = firstStep === 0 ? 0 : firstStep + MARGIN_STEPS;
    const isLast = firstStep + WINDOW_STEPS >= stepCount;
    const middle = { from, to: isLast ? stepCount : firstStep + WINDOW_STEPS - MARGIN_STEPS };
    windows.push({ firstStep, probabilities: splitPlaces(await turns.listen(heard)), middle });
  }
  onProgress(1);
  return windows;
}

function listStarts(stepCount: number): number[] {
  const count = Math.max(1, Math.ceil((stepCount - WINDOW_STEPS) / HOP_STEPS) + 1);
  return stepCount === 0 ? [] : Array.from({ length: count }, (_, index) => index * HOP_STEPS);
}

function splitPlaces(values: Float32Array): Float32Array[] {
  return Array.from({ length: PLACES }, (_, place) =>
    Float32Array.from({ length: values.length / PLACES }, (_, step) => values[step * PLACES + place]!),
  );
}

/** The stretches in the middle of a window in which one voice is active alone. */
export function listStretches({ firstStep, probabilities, middle }: HeardWindow): Stretch[] {
  return probabilities.flatMap((row, place) => {
    const isAlone = (step: number) =>
      probabilities.every((other, at) => other[step - firstStep]! > LEAST_PROBABILITY === (at === place)) &&
      row[step - firstStep]! > LEAST_PROBABILITY;
    const runs = listRuns(middle.to - middle.from, (n) => isAlone(middle.from + n));
    return bridgePauses(runs, PAUSE_STEPS).flatMap(({ from, to }) => {
      const alone = Uint8Array.from({ length: to - from }, (_, n) => Number(isAlone(middle.from + from + n)));
      const steps = alone.reduce((sum, value) => sum + value, 0);
      if (steps < SHORTEST_STEPS) return [];
      return [
        {
          from: middle.from + from,
          to: middle.from + to,
          isAlone: alone,
          seconds: steps / STEPS_PER_SECOND,
        },
      ];
    });
  });
}
