import { Refusal } from "../refusal.ts";

/** Credits are exact decimals with at most six places. Arithmetic is in integer millionths, so that 0.1 + 0.2 is 0.3. */
const MICROS_PER_CREDIT = 1_000_000;

const toMicros = (credits: number) => Math.round(credits * MICROS_PER_CREDIT);
const fromMicros = (micros: number) => micros / MICROS_PER_CREDIT;

export const roundCredits = (credits: number) => fromMicros(toMicros(credits));

export function sumCredits(amounts: readonly number[]): number {
  return fromMicros(amounts.reduce((sum, credits) => sum + toMicros(credits), 0));
}

export const toMinutes = (durationSeconds: number) => Math.ceil(durationSeconds / 60);

/** Rate × minutes, rounded up to a whole minute. */
export function costOfDuration(creditsPerMinute: number, durationSeconds: number): number {
  return fromMicros(toMicros(creditsPerMinute) * toMinutes(durationSeconds));
}

/** How many whole minutes an amount pays for. */
export function countMinutes(credits: number, creditsPerMinute: number): number {
  return Math.floor(toMicros(credits) / toMicros(creditsPerMinute));
}

/** Credits of a metered client set aside for one target until it ends. */
export type Reservation = { targetId: string; amount: number };

export function makeCreditsError(needed: number, available: number): Refusal {
  return new Refusal(
    "CREDITS_INSUFFICIENT",
    `This takes ${needed} ${needed === 1 ? "credit" : "credits"} and ${available} ${available === 1 ? "is" : "are"} left; ask the operator for more`,
  );
}

/** Never negative. */
export function subtractCredits(amount: number, part: number): number {
  return fromMicros(Math.max(0, toMicros(amount) - toMicros(part)));
}

/** A share of an amount, to the millionth. */
export function scaleCredits(amount: number, ratio: number): number {
  return fromMicros(Math.round(toMicros(amount) * ratio));
}
