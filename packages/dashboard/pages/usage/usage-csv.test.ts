import { expect, it } from "vitest";
import { makeDistributionCsv, makeUsageCsv } from "./usage-csv.ts";

it("[X1] usage as a table for spreadsheets", () => {
  expect(makeUsageCsv([{ month: "2026-01", totalTargets: 3, totalMinutes: "12.50" }])).toBe(
    "month,targets,minutes\r\n2026-01,3,12.50\r\n",
  );
});

it("[X1] names can't break out of their cell or become formulas", () => {
  const row = { totalTargets: 1, totalMinutes: "1.00", totalCredits: 0.5 };
  expect(
    makeDistributionCsv([
      { model: 'a,"b"', ...row },
      { model: "=1+1", ...row },
    ]),
  ).toBe(`model,targets,minutes,credits\r\n"a,""b""",1,1.00,0.5\r\n'=1+1,1,1.00,0.5\r\n`);
});
