import { TIMIT_RATE_HZ, type TimitUtterance } from "./load-timit.ts";

/** From speaker to speaker; it shares no divisor with their 80 utterances, so that all have their turn. */
const STEP = 37;

/** Utterances over and over, until they and a pause behind each fill the time. */
export function repeatUtterances(
  utterances: readonly TimitUtterance[],
  { seconds, pauseSeconds }: { seconds: number; pauseSeconds: number },
): TimitUtterance[] {
  const taken: TimitUtterance[] = [];
  for (let now = 0; now < seconds; ) {
    const utterance = utterances[(taken.length * STEP) % utterances.length];
    if (utterance === undefined) throw new Error("no sentences found");
    taken.push(utterance);
    now += utterance.samples.length / TIMIT_RATE_HZ + pauseSeconds;
  }
  return taken;
}
