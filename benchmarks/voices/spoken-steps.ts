export type SpokenSpan = { who: string; startSeconds: number; endSeconds: number };

export const STEPS_PER_SECOND = 100;

export const toStep = (seconds: number) => Math.round(seconds * STEPS_PER_SECOND);

/** For each person, 1 in the steps in which they speak. */
export function toRows(spans: readonly SpokenSpan[], stepCount: number): Map<string, Uint8Array> {
  const rows = new Map<string, Uint8Array>();
  for (const { who, startSeconds, endSeconds } of spans) {
    const row = rows.get(who) ?? new Uint8Array(stepCount);
    rows.set(who, row.fill(1, toStep(startSeconds), toStep(endSeconds)));
  }
  return rows;
}
