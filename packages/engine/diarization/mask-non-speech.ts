import type { SpeechRegion } from "../networks/silero-vad/speech-regions.ts";
import type { StepRun } from "./step-runs.ts";
import { NO_SPEAKER, STEPS_PER_SECOND, type Turns } from "./turns.ts";

/** Voices within this distance of detected speech count; further away they are music or noise. */
const NEAR_SPEECH_SECONDS = 0.5;

/** The steps near detected speech are 1. */
export function markSpeech(
  speech: readonly SpeechRegion[],
  { stepCount, sampleRateHz }: { stepCount: number; sampleRateHz: number },
): Uint8Array {
  const isSpeech = new Uint8Array(stepCount);
  const near = NEAR_SPEECH_SECONDS * sampleRateHz;
  const toStep = (frame: number) => Math.round((Math.max(0, frame) * STEPS_PER_SECOND) / sampleRateHz);
  for (const { startFrame, endFrame } of speech)
    isSpeech.fill(1, toStep(startFrame - near), toStep(endFrame + near));
  return isSpeech;
}

export const hasSpeech = ({ from, to }: StepRun, isSpeech: Uint8Array): boolean =>
  isSpeech.subarray(from, to).includes(1);

/**
 * Turns without what is far from detected speech. How many voices are active stays: a soft voice in a room may be missed by voice activity detection, and
 * speakers who talk at once throughout are not cut by it.
 */
export function maskNonSpeech(turns: Turns, isSpeech: Uint8Array): Turns {
  const keep = (row: Int8Array) => row.map((who, step) => (isSpeech[step] ? who : NO_SPEAKER));
  return { ...turns, speakers: keep(turns.speakers), overlapping: keep(turns.overlapping) };
}
