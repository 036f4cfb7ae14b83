import type { VoicePlan } from "./plan-voices.ts";
import { bridgePauses, listStepRuns, type StepRun } from "./step-runs.ts";
import type { StreamPower } from "./stream-power.ts";
import { NO_SPEAKER, STEPS_PER_SECOND, type Turns } from "./turns.ts";

/**
 * Share of the speaking time with two voices or more from which speakers talk at once throughout: 39 of 40 dry mixtures of two and 35 of 40 in rooms have
 * more; conversations of ten minutes have 0.15 to 0.26, a telephone conversation 0.12, one speaker 0.
 */
const TOGETHER = 0.3;
/** Share from which they may: they do if two are expected and turns find one speaker. */
const MAYBE_TOGETHER = 0.1;
const MARGIN_STEPS = 0.3 * STEPS_PER_SECOND;
/** A tenth of a second. */
const TESTED_STEPS = STEPS_PER_SECOND / 10;
/**
 * The weaker stream's share of the power while the turns have one voice alone, from which another talks all the time: six of 80 mixtures of two in which turns
 * have fewer have 0.022 to 0.133, conversations with little overlap up to 0.015, one speaker up to 0.0001.
 */
const SECOND_POWER = 0.02;

/** Whether speakers talk at once throughout a recording. `isPair`: two are expected. */
export function isSimultaneous(
  turns: Pick<Turns, "activeCount" | "voiceCount">,
  { isPair }: { isPair: boolean },
): boolean {
  return findOverlapShare(turns) > (isPair && turns.voiceCount < 2 ? MAYBE_TOGETHER : TOGETHER);
}

/** Whether two speakers may talk at once throughout, though turns do not say so: they find one speaker, or two in a short recording with much overlap. */
export function mayHideSecond(
  turns: Pick<Turns, "activeCount" | "voiceCount">,
  { isShort }: { isShort: boolean },
): boolean {
  return turns.voiceCount < 2 || (isShort && findOverlapShare(turns) > MAYBE_TOGETHER);
}

function findOverlapShare({ activeCount }: Pick<Turns, "activeCount">): number {
  const [speaking, atOnce] = [1, 2].map((least) => activeCount.filter((count) => count >= least).length);
  return atOnce! / Math.max(1, speaking!);
}

/** Whether the separated streams have a second voice where the turns have one alone: two speakers in one room may sound like one. */
export function hidesSecond(
  { activeCount }: Pick<Turns, "activeCount">,
  powers: Iterable<Pick<StreamPower, "firstStep" | "all">>,
): boolean {
  let [weak, both] = [0, 0];
  for (const { firstStep, all } of powers) {
    for (let from = 0; from + TESTED_STEPS <= all[0].length; from += TESTED_STEPS) {
      const to = from + TESTED_STEPS;
      if (activeCount.subarray(firstStep + from, firstStep + to).some((count) => count !== 1)) continue;
      const [first, second] = [sum(all[0].subarray(from, to)), sum(all[1].subarray(from, to))];
      weak += Math.min(first, second);
      both += first + second;
    }
  }
  return weak > SECOND_POWER * both;
}

/** Where anybody speaks, with a margin. */
export function listSpeech({ activeCount }: Pick<Turns, "activeCount">): StepRun[] {
  const runs = listStepRuns(activeCount.length, (step) => activeCount[step]! > 0);
  return bridgePauses(runs, 2 * MARGIN_STEPS).map(({ from, to }) => ({
    from: Math.max(0, from - MARGIN_STEPS),
    to: Math.min(activeCount.length, to + MARGIN_STEPS),
  }));
}

/** Two voices, each in its own stream wherever there is speech. */
export function planSimultaneous({ activeCount }: Pick<Turns, "activeCount">): VoicePlan {
  const isSpeech = new Uint8Array(activeCount.length);
  for (const { from, to } of listSpeech({ activeCount })) isSpeech.fill(1, from, to);
  const toStream = (speaker: number) => Int8Array.from(isSpeech, (value) => (value ? speaker : NO_SPEAKER));
  return {
    voiceCount: 2,
    solo: new Int8Array(activeCount.length).fill(NO_SPEAKER),
    streams: [toStream(0), toStream(1)],
    // Nothing indicates how certain the assignment is.
    confidence: new Float32Array(activeCount.length).fill(0.5),
  };
}

function sum(values: Float32Array): number {
  return values.reduce((total, value) => total + value, 0);
}
