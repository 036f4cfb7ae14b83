/** The first of the last `months` months including the current one, as YYYY-MM in UTC. */
export function findFirstMonth(months: number, now: Date): string {
  const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (months - 1), 1));
  return first.toISOString().slice(0, "YYYY-MM".length);
}
