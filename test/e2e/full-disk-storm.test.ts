import { describe, expect, it } from "vitest";
import { makeDetectionRecipe } from "../faults/recipes.ts";
import { formatFindings } from "../faults/report.ts";
import { runStorm } from "../faults/run-storm.ts";
import { findNoMountReason } from "../support/small-disk.ts";

const KILLS = 8;
const STORM_MS = 60_000;
const SETTLE_MS = 180_000;

const noMountReason = findNoMountReason();
describe.skipIf(noMountReason !== undefined)(
  `a storm of kills on a full disk${noMountReason === undefined ? "" : `, skipped: ${noMountReason}`}`,
  () => {
    it("[Q21] [Q2] [E9] with PostgreSQL on the same disk: no Task, charge, webhook, upload or file is lost", async () => {
      const lines: string[] = [];
      const result = await runStorm({
        ...{ mode: "embedded", isDiskSmall: true, kills: KILLS, durationMs: STORM_MS, seed: 1 },
        ...{ lanes: 3, settleMs: SETTLE_MS, recipes: [makeDetectionRecipe()] },
        say: (line) => void lines.push(line),
      });
      expect(formatFindings(result), lines.join("\n")).toEqual([]);
      expect(result.figures.fullDisks).toBeGreaterThanOrEqual(3);
      expect(result.figures.targets).toBeGreaterThanOrEqual(3);
      expect(result.victims.reduce((sum, { kills }) => sum + kills, 0)).toBe(KILLS);
    });
  },
);
