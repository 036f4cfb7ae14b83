import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/index.ts";
import { writeGeneratedSong } from "./generated-song.ts";
import { describeRun } from "./machine.ts";
import { readCpuMs } from "./process-figures.ts";

/**
 * The cost of additional targets of a Task: each case in turn in one engine whose networks are loaded, and the time of many targets over that of one.
 * `npm run bench targets -- [ROUNDS] [MINUTES]`
 */
const RESULTS_PATH = join(import.meta.dirname, "results/targets.md");
const CASES = {
  "vocals alone": ["vocals"],
  "five of htdemucs": ["vocals", "instrumental", "drums", "bass", "other"],
  "vocals and seven of the splitter": [
    "vocals",
    "guitar",
    "guitar_electric",
    "guitar_acoustic",
    "piano",
    "keys",
    "strings",
    "wind",
  ],
} as const;
const GOALS: Partial<Record<CaseName, number>> = {
  "five of htdemucs": 1.15,
  "vocals and seven of the splitter": 1.35,
};

type CaseName = keyof typeof CASES;
type Figures = { wallSeconds: number; cpuSeconds: number };

const [rounds = "4", minutes = "1"] = process.argv.slice(2);
if (![rounds, minutes].every((value) => Number(value) > 0)) {
  throw new Error(`rounds and minutes must be numbers above 0, not ${rounds} and ${minutes}`);
}
const run = describeRun();
const names = Object.keys(CASES) as CaseName[];
const folder = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
const inputPath = join(folder, "song.wav");
const engine = new EngineProcess();
const figures = new Map<CaseName, Figures[]>(names.map((name) => [name, []]));
try {
  writeGeneratedSong(inputPath, Number(minutes));
  // Loads both networks.
  await measure("vocals and seven of the splitter");
  for (let round = 0; round < Number(rounds); round++) {
    for (const name of names) {
      const figure = await measure(name);
      figures.get(name)?.push(figure);
      process.stdout.write(`${name}: ${format(figure)}\n`);
    }
  }
  writeFileSync(RESULTS_PATH, describe());
} finally {
  await engine.close();
  rmSync(folder, { recursive: true });
}

async function measure(name: CaseName): Promise<Figures> {
  const workDir = mkdtempSync(join(folder, "work-"));
  const outputs = join(workDir, "outputs");
  mkdirSync(outputs);
  const targets = CASES[name].map((model) => ({
    kind: "sound" as const,
    key: model,
    model,
    files: [{ output: "stem" as const, format: "wav" as const, path: join(outputs, `${model}.wav`) }],
  }));
  const startMs = performance.now();
  const startCpuMs = engine.pid === undefined ? 0 : await readCpuMs(engine.pid);
  await engine.run(
    { inputPath, workDir, targets },
    {
      onTargetFailed: (_, error) => {
        throw error;
      },
    },
  );
  const wallSeconds = (performance.now() - startMs) / 1000;
  const cpuSeconds = ((await readCpuMs(engine.pid ?? 0)) - startCpuMs) / 1000;
  rmSync(workDir, { recursive: true });
  return { wallSeconds, cpuSeconds };
}

/** The median over all rounds of a case relative to the single target in the same round. */
function ratioOf(name: CaseName, field: keyof Figures): number {
  const alone = figures.get("vocals alone") ?? [];
  const ratios = (figures.get(name) ?? []).map(
    (figure, round) => figure[field] / (alone[round]?.[field] ?? 0),
  );
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2;
}

function format({ wallSeconds, cpuSeconds }: Figures): string {
  return `${wallSeconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} CPU s`;
}

function describe(): string {
  return [
    "# Cost of additional targets",
    "",
    `A synthetic song of ${minutes} min in stereo, each target as wav, in one engine with loaded networks; the cases alternate, ${rounds} times. Ratios are the`,
    "median over the rounds. `npm run bench targets`.",
    "",
    ...run,
    "",
    "| Task | wall, each round (s) | CPU, each round (s) | wall, over vocals alone | CPU | goal |",
    "|---|---|---|---|---|---|",
    ...names.map((name) => {
      const list = (field: keyof Figures) =>
        (figures.get(name) ?? []).map((figure) => figure[field].toFixed(1)).join(", ");
      const goal = GOALS[name] === undefined ? "" : `${GOALS[name]} ×`;
      const cells = [
        name,
        list("wallSeconds"),
        list("cpuSeconds"),
        ...(["wallSeconds", "cpuSeconds"] as const).map((field) => `${ratioOf(name, field).toFixed(2)} ×`),
        goal,
      ];
      return `| ${cells.join(" | ")} |`;
    }),
    "",
  ].join("\n");
}
