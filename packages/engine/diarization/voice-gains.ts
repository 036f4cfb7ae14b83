import { listVoiceRuns } from "./list-voice-runs.ts";
import type { VoicePlan } from "./plan-voices.ts";
import { NO_SPEAKER, STEPS_PER_SECOND } from "./turns.ts";

/** How much of the input and of each stream goes to a voice in each step: 0 or 1. */
export type VoiceGains = { input: Uint8Array; streams: readonly [Uint8Array, Uint8Array] };

/** The gains of all voices. Nothing goes to two voices: pauses and margins that several claim go to the first. */
export function makeGains(plan: VoicePlan): VoiceGains[] {
  const isTaken = Uint8Array.from(plan.solo, (who, step) =>
    Number(who !== NO_SPEAKER || plan.streams[0][step] !== NO_SPEAKER),
  );
  return Array.from({ length: plan.voiceCount }, (_, speaker) => {
    const input = Uint8Array.from(plan.solo, (who) => Number(who === speaker));
    for (const { from, to } of listVoiceRuns(plan, speaker)) {
      for (let step = from; step < to; step++) {
        if (isTaken[step]) continue;
        isTaken[step] = 1;
        input[step] = 1;
      }
    }
    const [first, second] = plan.streams.map((row) => Uint8Array.from(row, (who) => Number(who === speaker)));
    return { input, streams: [first!, second!] as const };
  });
}

/** A gain at a frame, interpolated linearly between the middles of steps to avoid clicks. */
export function fadeSteps(
  steps: ArrayLike<number>,
  {
    startFrame,
    lengthFrames,
    sampleRateHz,
  }: { startFrame: number; lengthFrames: number; sampleRateHz: number },
): Float32Array {
  const gains = new Float32Array(lengthFrames);
  for (let n = 0; n < lengthFrames; n++) {
    const position = ((startFrame + n) * STEPS_PER_SECOND) / sampleRateHz - 0.5;
    const step = Math.floor(position);
    const part = position - step;
    const last = steps.length - 1;
    const [before, behind] = [steps[Math.max(0, step)] ?? steps[last]!, steps[Math.min(last, step + 1)]!];
    gains[n] = before + part * (behind - before);
  }
  return gains;
}

/** Whether a gain is nonzero anywhere in a span, including its fades. */
export function hasGain(
  steps: Uint8Array,
  {
    startFrame,
    lengthFrames,
    sampleRateHz,
  }: { startFrame: number; lengthFrames: number; sampleRateHz: number },
): boolean {
  const toStep = (frame: number) => Math.floor((frame * STEPS_PER_SECOND) / sampleRateHz);
  return steps
    .subarray(Math.max(0, toStep(startFrame) - 1), toStep(startFrame + lengthFrames) + 2)
    .includes(1);
}

/** `into += plane · gains`, optionally times another factor per frame. */
export function addGained(
  into: Float32Array,
  plane: Float32Array,
  gains: Float32Array,
  factors?: Float32Array,
): void {
  if (factors) for (let n = 0; n < into.length; n++) into[n]! += plane[n]! * gains[n]! * factors[n]!;
  else for (let n = 0; n < into.length; n++) into[n]! += plane[n]! * gains[n]!;
}
