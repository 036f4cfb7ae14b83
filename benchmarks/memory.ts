import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ENGINE_FLAGS, makeEngineEnvironment } from "../packages/engine/process/engine-environment.ts";
import { readProcessTreeMemory } from "../packages/server/worker/health/process-tree-memory.ts";
import { writeGeneratedSong } from "./generated-song.ts";
import { drawLines, type Line } from "./line-chart.ts";
import { describeRun } from "./machine.ts";

/**
 * Memory of the engine with all its processes while it separates generated music: the whole pipeline with a trivial network over five minutes and three
 * hours, and with htdemucs over one, five and thirty minutes, or the given lengths.
 * `npm run bench memory -- [MINUTES]`
 */
const RESULTS_PATH = join(import.meta.dirname, "results/memory.md");
const CHART_PATH = join(import.meta.dirname, "../docs/pictures/memory.svg");
const SAMPLE_EVERY_MS = 250;

const [longestMinutes = "30"] = process.argv.slice(2);

type Case = { network: "gain" | "htdemucs"; minutes: number };
const CASES: Case[] = [
  { network: "gain", minutes: 5 },
  { network: "gain", minutes: 180 },
  { network: "htdemucs", minutes: 1 },
  { network: "htdemucs", minutes: 5 },
  { network: "htdemucs", minutes: Number(longestMinutes) },
];
/** The last report, and when it came. */
type Progress = { fraction: number; secondsLeft?: number; seconds: number };
type Sample = { seconds: number; progress: Progress; megabytes: number };
type Measured = Case & { samples: Sample[] };

const run = describeRun();
const measured: Measured[] = [];
for (const one of CASES) {
  measured.push({ ...one, samples: await measure(one) });
  process.stdout.write(`${formatRow(measured.at(-1) as Measured)}\n`);
}
writeFileSync(RESULTS_PATH, formatResults());
writeFileSync(
  CHART_PATH,
  drawLines({
    title: "Memory of the engine with all its processes",
    xLabel: "share of the work done",
    yLabel: "MB",
    lines: measured.map(toLine),
  }),
);

async function measure({ network, minutes }: Case): Promise<Sample[]> {
  const folder = mkdtempSync(join(tmpdir(), "stemwright-memory-"));
  try {
    writeGeneratedSong(join(folder, "input.wav"), minutes);
    const startMs = performance.now();
    // The trivial network runs in this child itself, so it gets the settings of an engine child.
    const child = fork(join(import.meta.dirname, "memory-case.ts"), [folder, network], {
      execArgv: [...ENGINE_FLAGS],
      env: makeEngineEnvironment(),
    });
    const getSeconds = () => (performance.now() - startMs) / 1000;
    let progress: Progress = { fraction: 0, seconds: 0 };
    child.on("message", (reported: Omit<Progress, "seconds">) => {
      progress = { ...reported, seconds: getSeconds() };
    });
    const samples: Sample[] = [];
    const sampling = setInterval(async () => {
      const megabytes = (await readProcessTreeMemory(child.pid ?? 0)) / 1024 ** 2;
      samples.push({ seconds: getSeconds(), progress, megabytes });
    }, SAMPLE_EVERY_MS);
    const [code] = await once(child, "exit");
    clearInterval(sampling);
    if (code !== 0) throw new Error(`${network} over ${minutes} minutes exited with ${code}`);
    return samples;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function peakOf({ samples }: Measured): number {
  return Math.max(...samples.map(({ megabytes }) => megabytes));
}

function secondsOf({ samples }: Measured): number {
  return samples.at(-1)?.seconds ?? 0;
}

/** The worst relative error of the engine's estimate of the total time, after the first tenth. */
function worstEstimate(one: Measured): number {
  const errors = one.samples
    .filter(({ progress }) => progress.fraction >= 0.1)
    .map(({ progress: { seconds, secondsLeft = Number.NaN } }) =>
      Math.abs((seconds + secondsLeft) / secondsOf(one) - 1),
    );
  return Math.max(...errors);
}

function formatRow(one: Measured): string {
  const cells = [one.network, one.minutes, peakOf(one).toFixed(0), secondsOf(one).toFixed(0)];
  // Progress weights are for real networks: next to a trivial one, the rest of the work takes longer than estimated.
  const estimate = one.network === "gain" ? "" : `${(100 * worstEstimate(one)).toFixed(0)} %`;
  return `| ${[...cells, estimate].join(" | ")} |`;
}

function toLine({ network, minutes, samples }: Measured): Line {
  return {
    name: `${network}, ${minutes} min`,
    points: samples.map(({ progress, megabytes }) => ({ x: progress.fraction, y: megabytes })),
  };
}

function formatResults(): string {
  // The longest input relative to the one before it.
  const compare = (network: Case["network"]) => {
    const [short, long] = measured.filter((one) => one.network === network).slice(-2);
    if (!short || !long) throw new Error(`two lengths of input are needed for ${network}`);
    return `${network}, ${long.minutes} minutes over ${short.minutes}: ${(peakOf(long) / peakOf(short)).toFixed(2)}`;
  };
  return [
    "# Memory by length of the input",
    "",
    "Generated stereo at 44.1 kHz, one target as wav; resident memory of all engine processes, sampled four times a second. `gain` is the whole",
    "pipeline with a trivial network. `npm run bench memory`.",
    "",
    ...run,
    "",
    `**Peaks: ${compare("gain")}; ${compare("htdemucs")}.**`,
    "",
    "| network | minutes | peak MB | seconds | worst error of the estimated time after the first tenth |",
    "|---|---|---|---|---|",
    ...measured.map(formatRow),
    "",
  ].join("\n");
}
