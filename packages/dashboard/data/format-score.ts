import type { Model } from "@stemwright/sdk";

type Score = NonNullable<Model["scores"]>[number];

/** The unit stands behind what is measured, and the conditions behind a comma. */
const MEASURE = /^([^,(]+?)(?: \((dB|%|ms)\)(.*)|(,.*))?$/;

/** As one would say it: `SDR (dB)` and 10.76 are "SDR 10.76 dB". */
export function formatScore({ measure, value }: Pick<Score, "measure" | "value">): string {
  const [, what = measure, unit, given = "", under = given] = MEASURE.exec(measure) ?? [];
  return `${what} ${value}${unit === undefined ? "" : ` ${unit}`}${under}`;
}
