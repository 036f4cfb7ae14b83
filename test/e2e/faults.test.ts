import { beforeAll, describe, expect, it } from "vitest";
import { MODES, type Mode } from "../faults/installation.ts";
import { makeDetectionRecipe } from "../faults/recipes.ts";
import { formatFindings } from "../faults/report.ts";
import { runStorm, type StormResult } from "../faults/run-storm.ts";

/** One kill per kind of process, over Tasks that take a second. `npm run bench faults` is the long version, over every network. */
const KILLS = 6;
const STORM_MS = 15_000;
const SETTLE_MS = 120_000;
/** Tasks under way at once. */
const LANES = 2;
const SEED = 1;

describe("a storm of kills", () => {
  const results = new Map<Mode, StormResult>();
  beforeAll(async () => {
    const options = {
      ...{ kills: KILLS, durationMs: STORM_MS, seed: SEED, lanes: LANES, settleMs: SETTLE_MS },
      recipes: [makeDetectionRecipe()],
      say: () => {},
    };
    // Both at once: most of a storm is waiting for a process to come back.
    const storms = MODES.map(async (mode) => results.set(mode, await runStorm({ ...options, mode })));
    // Each stops its own processes, so both are awaited, whatever the outcome.
    await Promise.allSettled(storms);
    await Promise.all(storms);
  });

  it.each([
    ["embedded", ["backend", "engine", "main", "media", "postmaster", "worker"]],
    ["company", ["api", "backend", "engine", "media", "postmaster", "worker"]],
  ] as const)(
    "[Q2] [W8] [E9] [S2] %s: no Task, charge, webhook or file is lost, and nothing else dies of it",
    (mode, roles) => {
      const result = results.get(mode);
      expect(result && formatFindings(result)).toEqual([]);
      expect(result?.victims.map(({ role }) => role).sort()).toEqual(roles);
      // Of Tasks that were created, with one target each; how many followed the first ones depends on the machine.
      expect(result?.figures.targets).toBeGreaterThanOrEqual(LANES);
    },
  );
});
