import { costOfDuration, countMinutes, sumCredits } from "./credit-amounts.ts";
import { estimateReservations, isPaired } from "./target-costs.ts";

const MINUTE_SECONDS = 60;

/** A target and what it has set aside. */
type Held = { id: string; model: string; creditsPerMinute: number; amount: number };
/** What a target has set aside from now on, and how much more that is. */
type Change = { id: string; amount: number; more: number };

const findMinuteRates = (held: readonly Held[]) =>
  estimateReservations(held, MINUTE_SECONDS).map(({ amount }) => amount);

export const areFree = (held: readonly Held[]) => sumCredits(findMinuteRates(held)) === 0;

/** Raises what targets have set aside to so many minutes, or to as many as the account pays for with what is free of it. */
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

/** What one of a pair leaves goes to the others, and what it took beyond its own comes from them, until the last has ended. */
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
