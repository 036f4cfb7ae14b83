import {
  costOfDuration,
  type Reservation,
  scaleCredits,
  subtractCredits,
  sumCredits,
} from "./credit-amounts.ts";

/** A target with a cost has completed. */
type PricedTarget = {
  id: string;
  model: string;
  creditsPerMinute: number;
  cost?: number;
  hasFailed?: boolean;
};

/** Share of the two rates that transcription and alignment in one Task cost: 1.5 per minute instead of 1 + 1. */
const PAIR_RATIO = 0.75;
const PAIR = ["transcription", "alignment"];
/** Assumed length of an input that was not probed: a target costs at least one minute. */
const UNKNOWN_DURATION_SECONDS = 60;

export const isPaired = (model: string) => PAIR.includes(model);

/** The charge of a completing target, given its Task's targets and their charges so far: the cost of all completed ones together minus what was charged. */
export function findCost(
  targets: readonly PricedTarget[],
  target: PricedTarget,
  durationSeconds: number,
): number {
  const alone = costOfDuration(target.creditsPerMinute, durationSeconds);
  if (!isPaired(target.model)) return alone;
  const others = targets.filter(({ id, model }) => id !== target.id && isPaired(model));
  const charged = sumCredits(others.map(({ cost = 0 }) => cost));
  const together = pricePairs([...others, { ...target, cost: 0 }], durationSeconds);
  return Math.min(alone, Math.max(0, subtractCredits(together, charged)));
}

/** A completed transcription pairs with a completed alignment, else with one that may still complete; never with a failed one. */
function pricePairs(targets: readonly PricedTarget[], durationSeconds: number): number {
  const [transcriptions = [], alignments = []] = PAIR.map((name) =>
    targets
      .filter(({ model, hasFailed }) => model === name && !hasFailed)
      .sort((one, other) => Number(isCompleted(other)) - Number(isCompleted(one))),
  );
  const pairCount = Math.max(transcriptions.length, alignments.length);
  return sumCredits(
    Array.from({ length: pairCount }, (_, at) =>
      pricePair([...transcriptions.slice(at, at + 1), ...alignments.slice(at, at + 1)], durationSeconds),
    ),
  );
}

/** The first of a pair is never charged more than both cost, so that the sum is the same in either order at any rates. */
function pricePair(pair: readonly PricedTarget[], durationSeconds: number): number {
  const completed = pair.filter(isCompleted);
  const apart = sumCredits(
    completed.map(({ creditsPerMinute }) => costOfDuration(creditsPerMinute, durationSeconds)),
  );
  if (pair.length < 2) return apart;
  const pairRate = scaleCredits(sumCredits(pair.map(({ creditsPerMinute }) => creditsPerMinute)), PAIR_RATIO);
  const price = costOfDuration(pairRate, durationSeconds);
  return completed.length === 2 ? price : Math.min(apart, price);
}

function isCompleted({ cost }: PricedTarget): boolean {
  return cost !== undefined;
}

/** The charges of a Task's targets if all complete, in their order. */
export function estimateCosts(targets: readonly PricedTarget[], durationSeconds: number): number[] {
  const charged: PricedTarget[] = targets.map(({ id, model, creditsPerMinute }) => ({
    id,
    model,
    creditsPerMinute,
  }));
  for (const target of charged) target.cost = findCost(charged, target, durationSeconds);
  return charged.map(({ cost = 0 }) => cost);
}

/**
 * The reservations of a metered client's Task: each target's share of the estimate. Transcriptions and alignments share theirs, since the charge of each
 * depends on which ends first; they suffice whichever of them complete.
 */
export function estimateReservations(
  targets: readonly PricedTarget[],
  durationSeconds: number = UNKNOWN_DURATION_SECONDS,
): Reservation[] {
  const costs = estimateCosts(targets, durationSeconds);
  const firstPaired = targets.findIndex(({ model }) => isPaired(model));
  const together = sumCredits(costs.filter((_, index) => isPaired(targets[index]?.model ?? "")));
  // If one rate is more than three times the other, both cost less than the one alone, whose partner may fail.
  const alone = PAIR.map((name) =>
    sumCredits(
      targets
        .filter(({ model }) => model === name)
        .map(({ creditsPerMinute }) => costOfDuration(creditsPerMinute, durationSeconds)),
    ),
  );
  const more = subtractCredits(Math.max(...alone), together);
  return targets.map(({ id }, index) => {
    const cost = costs[index] ?? 0;
    return { targetId: id, amount: index === firstPaired ? sumCredits([cost, more]) : cost };
  });
}
