import type { VoicePlan } from "./plan-voices.ts";
import { NOBODY, STEPS_PER_SECOND, type Turns } from "./turns.ts";

/**
 * Share of the speaking time with two voices or more from which people talk at once throughout: 39 of 40 dry mixtures of two and 35 of 40 in rooms have
 * more; conversations of ten minutes have 0.15 to 0.26, a telephone conversation 0.12, one person 0.
 */
const TOGETHER = 0.3;
const MARGIN_STEPS = 0.3 * STEPS_PER_SECOND;

/** Whether people talk at once throughout a recording. */
export function isTogether({ heardCount }: Pick<Turns, "heardCount">): boolean {
  let [speaking, atOnce] = [0, 0];
  for (const count of heardCount) {
    speaking += Number(count > 0);
    atOnce += Number(count > 1);
  }
  return atOnce > TOGETHER * speaking;
}

/** Two voices, each in its own stream wherever there is speech. */
export function planTogether({ heardCount }: Pick<Turns, "heardCount">): VoicePlan {
  const isSpeech = new Uint8Array(heardCount.length);
  heardCount.forEach((count, step) => {
    if (count > 0) isSpeech.fill(1, Math.max(0, step - MARGIN_STEPS), step + MARGIN_STEPS + 1);
  });
  const toStream = (person: number) => Int8Array.from(isSpeech, (value) => (value ? person : NOBODY));
  return {
    voiceCount: 2,
    solo: new Int8Array(heardCount.length).fill(NOBODY),
    streams: [toStream(0), toStream(1)],
    // Nothing indicates how certain the assignment is.
    confidence: new Float32Array(heardCount.length).fill(0.5),
  };
}
