import { costOfDuration, scaleCredits, subtractCredits, sumCredits } from "../credits.ts";

type PricedTarget = { id: string; model: string; creditsPerMinute: number; cost?: number };

/** Transcription and alignment in one Task cost this part of their two rates: 1.5 a minute instead of 1 + 1. */
const PAIR_RATIO = 0.75;
const PAIR = ["transcription", "alignment"];

/** The first transcription of a Task goes with its first alignment, the second with the second, and so on. */
function findPartner(targets: readonly PricedTarget[], target: PricedTarget): PricedTarget | undefined {
  const partnerModel = PAIR[1 - PAIR.indexOf(target.model)];
  if (!PAIR.includes(target.model)) return undefined;
  const ofModel = (model: string | undefined) => targets.filter((candidate) => candidate.model === model);
  const place = ofModel(target.model).findIndex(({ id }) => id === target.id);
  return ofModel(partnerModel)[place];
}

/**
 * What a target is charged when it completes, given its Task's targets with what was charged so far. The later one of a pair
 * is charged the rest of the pair's price, and the earlier one never more than all of it, so that the sum is the same in
 * either order at any two rates.
 */
export function findCost(
  targets: readonly PricedTarget[],
  target: PricedTarget,
  durationSeconds: number,
): number {
  const alone = costOfDuration(target.creditsPerMinute, durationSeconds);
  const partner = findPartner(targets, target);
  if (!partner) return alone;
  const pairRate = scaleCredits(sumCredits([target.creditsPerMinute, partner.creditsPerMinute]), PAIR_RATIO);
  const rest = subtractCredits(costOfDuration(pairRate, durationSeconds), partner.cost ?? 0);
  return Math.min(alone, rest);
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
