import type { FrameSource } from "../dsp/sources/frame-source.ts";
import type { SpeechRegion } from "../networks/silero-vad/speech-regions.ts";
import {
  LOCAL_SPEAKERS,
  type SpeakerSegmentation,
  WINDOW_STEPS,
} from "../networks/voices/speaker-segmentation.ts";
import { VOICE_ROWS_PER_SECOND, VoicePower } from "../networks/voices/voice-power.ts";
import { bridgePauses, listStepRuns, type StepRun } from "./step-runs.ts";
import { STEPS_PER_SECOND } from "./turns.ts";

const ROWS_PER_STEP = VOICE_ROWS_PER_SECOND / STEPS_PER_SECOND;
/** Windows overlap by half. Each decides its middle; the rest is context. */
const HOP_STEPS = WINDOW_STEPS / 2;
const MARGIN_STEPS = WINDOW_STEPS / 4;
/** A voice counts as active from this probability on. */
export const MIN_PROBABILITY = 0.5;
/** Longest pause within a segment of one voice, and its shortest length. */
const PAUSE_STEPS = STEPS_PER_SECOND / 10;
const SHORTEST_STEPS = STEPS_PER_SECOND / 2;

/** Ten seconds: each local speaker's probability of an active voice, step by step. `middle`, in steps of the recording, is the part this window decides. */
export type SegmentedWindow = { firstStep: number; probabilities: Float32Array[]; middle: StepRun };

/** Half a second or more of one voice; `isAlone` marks the steps without another one. */
export type SpeakerSegment = StepRun & { isAlone: Uint8Array; seconds: number };

/** Runs the turns network over all windows of a mono recording at 16 kHz that contain speech. */
export async function segmentSpeakers(
  recording: FrameSource,
  speech: readonly SpeechRegion[],
  { turns, onProgress }: { turns: SpeakerSegmentation; onProgress: (fraction: number) => void },
): Promise<SegmentedWindow[]> {
  const stepFrames = recording.sampleRateHz / STEPS_PER_SECOND;
  const stepCount = Math.floor(recording.lengthFrames / stepFrames);
  const power = new VoicePower();
  const windows: SegmentedWindow[] = [];
  for (const firstStep of listStarts(stepCount)) {
    onProgress(firstStep / stepCount);
    const steps = Math.min(WINDOW_STEPS, stepCount - firstStep);
    const [start, end] = [firstStep * stepFrames, (firstStep + steps) * stepFrames];
    if (!speech.some(({ startFrame, endFrame }) => startFrame < end && endFrame > start)) continue;
    const features = power.read(recording, {
      firstRow: firstStep * ROWS_PER_STEP,
      rows: steps * ROWS_PER_STEP,
    });
    const from = firstStep === 0 ? 0 : firstStep + MARGIN_STEPS;
    const isLast = firstStep + WINDOW_STEPS >= stepCount;
    const middle = { from, to: isLast ? stepCount : firstStep + WINDOW_STEPS - MARGIN_STEPS };
    windows.push({ firstStep, probabilities: splitLocalSpeakers(await turns.infer(features)), middle });
  }
  onProgress(1);
  return windows;
}

function listStarts(stepCount: number): number[] {
  const count = Math.max(1, Math.ceil((stepCount - WINDOW_STEPS) / HOP_STEPS) + 1);
  return stepCount === 0 ? [] : Array.from({ length: count }, (_, index) => index * HOP_STEPS);
}

function splitLocalSpeakers(values: Float32Array): Float32Array[] {
  return Array.from({ length: LOCAL_SPEAKERS }, (_, localSpeaker) =>
    Float32Array.from(
      { length: values.length / LOCAL_SPEAKERS },
      (_, step) => values[step * LOCAL_SPEAKERS + localSpeaker]!,
    ),
  );
}

/** The segments in the middle of a window in which one voice is active alone. */
export function listSpeakerSegments({ firstStep, probabilities, middle }: SegmentedWindow): SpeakerSegment[] {
  return probabilities.flatMap((row, localSpeaker) => {
    const isAlone = (step: number) =>
      probabilities.every(
        (other, at) => other[step - firstStep]! > MIN_PROBABILITY === (at === localSpeaker),
      ) && row[step - firstStep]! > MIN_PROBABILITY;
    const runs = listStepRuns(middle.to - middle.from, (n) => isAlone(middle.from + n));
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
