import type { TaskQuery } from "@stemwright/sdk";

/** A day of the address in the browser's time zone; undefined if it is none. */
function toMidnight(day: string | undefined, daysLater: number): string | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? "") ?? [];
  if (date === undefined) return undefined;
  return new Date(Number(year), Number(month) - 1, Number(date) + daysLater).toISOString();
}

/** The filter for Tasks of these days, both included. */
export function toCreatedBetween(
  from: string | undefined,
  to: string | undefined,
): Pick<TaskQuery, "createdAfter" | "createdBefore"> {
  const createdAfter = toMidnight(from, 0);
  const createdBefore = toMidnight(to, 1);
  return {
    ...(createdAfter === undefined ? {} : { createdAfter }),
    ...(createdBefore === undefined ? {} : { createdBefore }),
  };
}
