import type { VoicePlan } from "./plan-voices.ts";
import { bridgePauses, listStepRuns, type StepRun } from "./step-runs.ts";
import { STEPS_PER_SECOND } from "./turns.ts";

/** Margin around speech, so that no consonant is cut off. */
const MARGIN_STEPS = 3;
const PAUSE_STEPS = 0.3 * STEPS_PER_SECOND;

/** When a speaker is active, with a margin on both sides. */
export function listVoiceRuns({ solo, streams }: VoicePlan, speaker: number): StepRun[] {
  const isAloneAt = (step: number) =>
    solo[step] === speaker || streams[0][step] === speaker || streams[1][step] === speaker;
  const runs = bridgePauses(listStepRuns(solo.length, isAloneAt), PAUSE_STEPS);
  return runs.map(({ from, to }) => ({
    from: Math.max(0, from - MARGIN_STEPS),
    to: Math.min(solo.length, to + MARGIN_STEPS),
  }));
}
