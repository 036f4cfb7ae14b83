import {
  costOfDuration,
  type Reservation,
  scaleCredits,
  subtractCredits,
  sumCredits,
} from "./credit-amounts.ts";

/** One with a cost has completed. */
type PricedTarget = {
  id: string;
  model: string;
  creditsPerMinute: number;
  cost?: number;
  hasFailed?: boolean;
};

/** Transcription and alignment in one Task cost this part of their two rates: 1.5 a minute instead of 1 + 1. */
const PAIR_RATIO = 0.75;
const PAIR = ["transcription", "alignment"];
/** How long an input is taken to be before anybody has looked into it: the least a target can cost is one minute. */
const UNKNOWN_DURATION_SECONDS = 60;

export const isPaired = (model: string) => PAIR.includes(model);

/**
 * What a target is charged when it completes, given its Task's targets with what was charged so far: what the completed ones cost
 * together, less what they were charged.
 */
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

/** A completed transcription goes with a completed alignment, or else with one that may still complete; none goes with one that failed. */
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

/** One of a pair that completed first is never charged more than both cost, so that the sum is the same in either order at any two rates. */
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

/** What each target of a Task will be charged when all complete, in their order. */
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
 * What each target of a metered client's Task sets aside: its part of the estimate. What transcriptions and alignments set aside is for all of
 * them, since which of a pair is charged what depends on which ends first; it is enough whichever of them complete.
 */
export function estimateReservations(
  targets: readonly PricedTarget[],
  durationSeconds: number = UNKNOWN_DURATION_SECONDS,
): Reservation[] {
  const costs = estimateCosts(targets, durationSeconds);
  const firstPaired = targets.findIndex(({ model }) => isPaired(model));
  const together = sumCredits(costs.filter((_, index) => isPaired(targets[index]?.model ?? "")));
  // Where one rate is more than three times the other, both cost less than the one alone, whose partner may fail.
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
