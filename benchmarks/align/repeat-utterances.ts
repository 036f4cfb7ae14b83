import { TIMIT_RATE_HZ, type TimitUtterance } from "./load-timit.ts";

/** Coprime to the 80 utterances, so that all speakers get their turn. */
const STEP = 37;

/** Repeats utterances, each followed by a pause, until the time is filled. */
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
