import type { VoicePlan } from "./plan-voices.ts";
import { NOBODY, STEPS_PER_SECOND, type Turns } from "./turns.ts";
import { SAMPLE_RATE_HZ } from "./voice-separator.ts";

/** Threshold for two people talking at once throughout: mixtures of two score 0.10 to 0.22, a conversation 0.03 (median). */
const TOGETHER = 0.07;
const BLOCK_FRAMES = SAMPLE_RATE_HZ / 10;
const MARGIN_STEPS = 0.3 * STEPS_PER_SECOND;

/** How much two streams overlap: the weaker one's power over the stronger one's, per tenth of a second. */
export function findSimultaneity(first: Float32Array, second: Float32Array): number {
  let [weaker, stronger] = [0, 0];
  for (let start = 0; start < first.length; start += BLOCK_FRAMES) {
    const [a, b] = [powerOf(first, start), powerOf(second, start)];
    weaker += Math.min(a, b);
    stronger += Math.max(a, b);
  }
  return stronger === 0 ? 0 : weaker / stronger;
}

function powerOf(samples: Float32Array, start: number): number {
  let sum = 0;
  for (let n = start; n < Math.min(samples.length, start + BLOCK_FRAMES); n++)
    sum += samples[n]! * samples[n]!;
  return sum;
}

/** Whether people talk at once throughout a recording, judged by some of its windows. */
export function isTogether(simultaneities: readonly number[]): boolean {
  const sorted = simultaneities.toSorted((a, b) => a - b);
  return (sorted[Math.floor((sorted.length - 1) / 2)] ?? 0) > TOGETHER;
}

/** Two voices, each in its own stream wherever there is speech. */
export function planTogether({ people }: Pick<Turns, "people">): VoicePlan {
  const isSpeech = new Uint8Array(people.length);
  people.forEach((who, step) => {
    if (who !== NOBODY) isSpeech.fill(1, Math.max(0, step - MARGIN_STEPS), step + MARGIN_STEPS + 1);
  });
  const toStream = (person: number) => Int8Array.from(isSpeech, (value) => (value ? person : NOBODY));
  return {
    voiceCount: 2,
    solo: new Int8Array(people.length).fill(NOBODY),
    streams: [toStream(0), toStream(1)],
    // Nothing indicates how certain the assignment is.
    confidence: new Float32Array(people.length).fill(0.5),
  };
}
