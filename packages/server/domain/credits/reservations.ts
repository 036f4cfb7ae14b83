import { costOfDuration, countMinutes, sumCredits } from "./credit-amounts.ts";
import { estimateReservations, isPaired } from "./target-costs.ts";

const MINUTE_SECONDS = 60;

/** A target and its reservation. */
type Held = { id: string; model: string; creditsPerMinute: number; amount: number };
/** A target's new reservation, and the difference from the old one. */
type Change = { id: string; amount: number; more: number };

const findMinuteRates = (held: readonly Held[]) =>
  estimateReservations(held, MINUTE_SECONDS).map(({ amount }) => amount);

export const areFree = (held: readonly Held[]) => sumCredits(findMinuteRates(held)) === 0;

/** Raises reservations to cover this many minutes, or as many as the free credits pay for. */
export function coverMinutes(
  held: readonly Held[],
  { wanted, free }: { wanted: number; free: number },
): { minutes: number; changes: Change[] } {
  const rates = findMinuteRates(held);
  const within = sumCredits([free, ...held.map(({ amount }) => amount)]);
  const minutes = Math.min(wanted, countMinutes(within, sumCredits(rates)));
  const changes = held.map(({ id, amount: before }, index) => {
    const amount = costOfDuration(rates[index] ?? 0, minutes * MINUTE_SECONDS);
    return { id, amount, more: sumCredits([amount, -before]) };
  });
  return { minutes, changes };
}

/** What one target of a pair leaves goes to the others, and what it overdrew comes from them, until the last has ended. */
export function passOnRest(held: readonly Omit<Held, "creditsPerMinute">[], rest: number): Change[] {
  const changes: Change[] = [];
  let left = rest;
  for (const { id, amount } of held.filter(({ model }) => isPaired(model))) {
    if (left === 0) break;
    const more = Math.max(left, -amount);
    left = sumCredits([left, -more]);
    changes.push({ id, amount: sumCredits([amount, more]), more });
  }
  return changes;
}
