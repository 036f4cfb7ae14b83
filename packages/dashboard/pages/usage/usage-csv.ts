import type { DistributionRow, UsageRow } from "@stemwright/sdk";

/** Quotes a cell with a comma, quote or line break; prefixes one that a spreadsheet would run as a formula with a quote. */
function toCell(value: string | number): string {
  const text = typeof value === "string" && /^[=+\-@\t]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const toCsv = (rows: readonly (readonly (string | number)[])[]) =>
  rows.map((row) => `${row.map(toCell).join(",")}\r\n`).join("");

export const makeUsageCsv = (rows: readonly UsageRow[]) =>
  toCsv([
    ["month", "targets", "minutes"],
    ...rows.map(({ month, totalTargets, totalMinutes }) => [month, totalTargets, totalMinutes]),
  ]);

export const makeDistributionCsv = (rows: readonly DistributionRow[]) =>
  toCsv([
    ["model", "targets", "minutes", "credits"],
    ...rows.map(({ model, totalTargets, totalMinutes, totalCredits }) => [
      model,
      totalTargets,
      totalMinutes,
      totalCredits,
    ]),
  ]);
