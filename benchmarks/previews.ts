import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/index.ts";
import { writeGeneratedSong } from "./generated-song.ts";
import { describeRun } from "./machine.ts";
import { readCpuMs } from "./process-figures.ts";

/**
 * What previews cost of a Task's time, and what they take: each case with and without them in turn, in one engine whose network is loaded.
 * `npm run bench:previews -- [ROUNDS] [MINUTES]`
 */
const RESULTS_PATH = join(import.meta.dirname, "results/previews.md");
const CASES = {
  "vocals, 44.1 kHz": { models: ["vocals"], sampleRateHz: 44_100 },
  "four stems, 44.1 kHz": { models: ["vocals", "drums", "bass", "other"], sampleRateHz: 44_100 },
  "four stems, 48 kHz": { models: ["vocals", "drums", "bass", "other"], sampleRateHz: 48_000 },
} as const;
const GOAL_SHARE = 0.05;

type CaseName = keyof typeof CASES;
type Figures = { wallSeconds: number; cpuSeconds: number; bytes: number };

const [rounds = "4", minutes = "1"] = process.argv.slice(2);
const run = describeRun();
const names = Object.keys(CASES) as CaseName[];
const folder = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
const engine = new EngineProcess();
const figures = new Map(names.map((name) => [name, { with: [] as Figures[], without: [] as Figures[] }]));
try {
  for (const { sampleRateHz } of Object.values(CASES))
    writeGeneratedSong(toInput(sampleRateHz), Number(minutes), sampleRateHz);
  await measure(names[0] as CaseName, false);
  for (let round = 0; round < Number(rounds); round++) {
    for (const name of names) {
      // Whichever comes first has the machine as the one before left it.
      for (const hasPreviews of round % 2 === 0 ? [true, false] : [false, true]) {
        const figure = await measure(name, hasPreviews);
        figures.get(name)?.[hasPreviews ? "with" : "without"].push(figure);
        process.stdout.write(
          `${name}, ${hasPreviews ? "with" : "without"}: ${figure.wallSeconds.toFixed(1)} s, ${figure.cpuSeconds.toFixed(1)} processor s\n`,
        );
      }
    }
  }
  writeFileSync(RESULTS_PATH, describe());
} finally {
  await engine.close();
  rmSync(folder, { recursive: true });
}

function toInput(sampleRateHz: number): string {
  return join(folder, `song-${sampleRateHz}.wav`);
}

async function measure(name: CaseName, hasPreviews: boolean): Promise<Figures> {
  const { models, sampleRateHz } = CASES[name];
  const workDir = mkdtempSync(join(folder, "work-"));
  const outputs = join(workDir, "outputs");
  mkdirSync(outputs);
  const targets = models.map((model) => ({
    kind: "sound" as const,
    key: model,
    model,
    files: [{ output: "stem" as const, format: "wav" as const, path: join(outputs, `${model}.wav`) }],
  }));
  let bytes = 0;
  const startMs = performance.now();
  const startCpuMs = engine.pid === undefined ? 0 : await readCpuMs(engine.pid);
  await engine.run(
    {
      inputPath: toInput(sampleRateHz),
      workDir,
      targets,
      ...(hasPreviews && { previews: { storedChunks: {} } }),
    },
    {
      onTargetFailed: (_, error) => {
        throw error;
      },
      onPreview: (news) => {
        if (news.kind === "failed") throw new Error(news.message);
        for (const { path } of news.files.filter(({ name: file }) => file.includes("chunks")))
          bytes += statSync(path).size;
      },
    },
  );
  const wallSeconds = (performance.now() - startMs) / 1000;
  const cpuSeconds = ((await readCpuMs(engine.pid ?? 0)) - startCpuMs) / 1000;
  rmSync(workDir, { recursive: true });
  return { wallSeconds, cpuSeconds, bytes };
}

/** The middle of the rounds' ratios. */
function ratioOf(name: CaseName, field: "wallSeconds" | "cpuSeconds"): number {
  const { with: withThem = [], without = [] } = figures.get(name) ?? {};
  const ratios = withThem.map((figure, round) => figure[field] / (without[round]?.[field] ?? Number.NaN));
  const sorted = ratios.toSorted((a, b) => a - b);
  const at = (index: number) => sorted[index] ?? Number.NaN;
  return (at(Math.floor((sorted.length - 1) / 2)) + at(Math.ceil((sorted.length - 1) / 2))) / 2;
}

function describe(): string {
  const list = (taken: readonly Figures[] | undefined, field: "wallSeconds" | "cpuSeconds") =>
    (taken ?? []).map((figure) => figure[field].toFixed(1)).join(", ");
  return [
    "# What previews cost",
    "",
    `A computed song of ${minutes} min in stereo, each target as wav, in one engine whose network is loaded; with and without previews in turn, ${rounds} times. Ratios are the`,
    `median over the rounds; the goal is ${1 + GOAL_SHARE} × of the wall time and 12 MB for each track and minute. \`npm run bench:previews\`.`,
    "",
    ...run,
    "",
    "| Task | wall without (s) | wall with (s) | ratio | processor without (s) | processor with (s) | ratio | MB a track and minute |",
    "|---|---|---|---|---|---|---|---|",
    ...names.map((name) => {
      const taken = figures.get(name);
      const tracks = CASES[name].models.length + 1;
      const cells = [
        name,
        list(taken?.without, "wallSeconds"),
        list(taken?.with, "wallSeconds"),
        `${ratioOf(name, "wallSeconds").toFixed(3)} ×`,
        list(taken?.without, "cpuSeconds"),
        list(taken?.with, "cpuSeconds"),
        `${ratioOf(name, "cpuSeconds").toFixed(3)} ×`,
        ((taken?.with[0]?.bytes ?? 0) / 1e6 / tracks / Number(minutes)).toFixed(1),
      ];
      return `| ${cells.join(" | ")} |`;
    }),
    "",
  ].join("\n");
}
