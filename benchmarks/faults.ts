import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { MODES, type Mode } from "../test/faults/installation.ts";
import { makeRecipes } from "../test/faults/recipes.ts";
import { formatReport } from "../test/faults/report.ts";
import { runStorm } from "../test/faults/run-storm.ts";
import { describeRun } from "./machine.ts";

/*
 * Checks that nothing is lost when processes are killed. Sends SIGKILL at random moments to every process of the service and of its database during a
 * stream of real Tasks, then counts everything. Exits with 1 if a count is not 0.
 *   npm run bench faults -- --kills 24 --minutes 4 --seed 1 --mode embedded|company|both
 *   npm run bench faults -- --mode embedded --full-disks     # on a small disk that is full half of the time
 */
const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "24" },
    minutes: { type: "string", default: "4" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    mode: { type: "string", default: "both" },
    "full-disks": { type: "boolean", default: false },
  },
});
const SETTLE_MS = 180_000;
const LANES = 4;

const modes = MODES.filter((mode) => values.mode === "both" || values.mode === mode);
if (modes.length === 0)
  throw new Error(`--mode is "${values.mode}"; it must be one of ${MODES.join(", ")}, both`);
const [kills, minutes, seed] = [values.kills, values.minutes, values.seed].map(Number);
if (!kills || !minutes || seed === undefined || Number.isNaN(seed))
  throw new Error("--kills, --minutes and --seed must be numbers");

// Running processes are stopped on exit.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const startedAtMs = performance.now();
const say = (line: string) =>
  console.error(`${((performance.now() - startedAtMs) / 1000).toFixed(1).padStart(7)} s  ${line}`);
const run = describeRun();
say(`seed ${seed}`);
const recipes = await makeRecipes();
const results = [];
for (const mode of modes satisfies Mode[])
  results.push(
    await runStorm({
      mode,
      isDiskSmall: values["full-disks"],
      kills,
      durationMs: minutes * 60_000,
      seed,
      recipes,
      lanes: LANES,
      settleMs: SETTLE_MS,
      say,
    }),
  );

const lines = [
  "# Kills",
  "",
  ...run,
  `- \`npm run bench faults -- --kills ${kills} --minutes ${minutes} --seed ${seed} --mode ${values.mode}\``,
  "",
  "SIGKILLs at random moments to every process, while clients upload, create, cancel, delete and read. Every count must be 0.",
  "",
  ...formatReport(results),
];
for (const line of lines) console.log(line);
if (values.mode === "both")
  await writeFile(join(import.meta.dirname, "results", "faults.md"), `${lines.join("\n")}\n`);
process.exitCode = results.some(({ findings }) => findings.length > 0) ? 1 : 0;
