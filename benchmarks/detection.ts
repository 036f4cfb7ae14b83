import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { EngineProcess } from "../packages/engine/process/engine-process.ts";
import { writeSound } from "../packages/engine/support/sound-file.ts";
import { describeRun } from "./machine.ts";
import { readCpuMs, readMemory } from "./process-figures.ts";

/*
 * Music detection on held-out clips, as the service runs it: steps, boundaries, and the speed on an hour.
 * A folder of clips is a set: `python3 -m training.mix.held_out_detection --packs PACKS --out held-out`. On that of the training's own list the
 * confidence was fitted and the checkpoint chosen; `test`, of `training/data/music-detection-test.json`, is other sources and was only measured on.
 *
 *   npm run bench detection -- FOLDER/held-out FOLDER/test [--minutes 60]
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: "string", default: "60" } },
});
if (positionals.length === 0)
  throw new Error("name the folders of clips: see the head of benchmarks/detection.ts");

const RESULTS = join(import.meta.dirname, "results/detection.md");
const SAMPLE_RATE_HZ = 44_100;
const NEAR_SECONDS = 0.5;

type Region = { start_time: number; end_time: number; confidence: number };
type Clip = { kind: string; stepSeconds: number; truth: number[] };
type Tally = {
  steps: number;
  hits: number;
  wrong: number;
  missed: number;
  edgesFound: number;
  edges: number;
  offsets: number[];
};

const workFolder = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
const engine = new EngineProcess();

async function detect(inputPath: string): Promise<Region[]> {
  const path = join(workFolder, "music.json");
  const target = {
    kind: "detection" as const,
    key: "music",
    model: "music_detection",
    files: [{ format: "json" as const, path }],
  };
  await engine.run({ inputPath, workDir: join(workFolder, "work"), targets: [target] });
  rmSync(join(workFolder, "work"), { recursive: true });
  return JSON.parse(readFileSync(path, "utf8")) as Region[];
}

/** Where the truth changes between music and no music, in seconds; unscored steps belong to the surrounding music. */
function findEdges(clip: Clip): number[] {
  const isMusic = clip.truth.map((value) => value !== 0);
  return isMusic.flatMap((value, n) => (n > 0 && value !== isMusic[n - 1] ? [n * clip.stepSeconds] : []));
}

function tally(clip: Clip, regions: readonly Region[], total: Tally): void {
  total.steps += clip.truth.length;
  clip.truth.forEach((truth, n) => {
    const time = (n + 0.5) * clip.stepSeconds;
    const isFound = regions.some((region) => region.start_time <= time && time < region.end_time);
    if (truth === 1 && isFound) total.hits++;
    if (truth === 0 && isFound) total.wrong++;
    if (truth === 1 && !isFound) total.missed++;
  });
  const duration = clip.truth.length * clip.stepSeconds;
  const found = regions
    .flatMap((region) => [region.start_time, region.end_time])
    .filter((time) => time > 0.1 && time < duration - 0.1);
  for (const edge of findEdges(clip)) {
    const offset = Math.min(...found.map((time) => Math.abs(time - edge)));
    total.edges++;
    if (offset <= NEAR_SECONDS) total.edgesFound++;
    if (offset <= 2) total.offsets.push(offset);
  }
}

const median = (numbers: readonly number[]) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const totals = new Map<string, Tally>();
const wavPaths = positionals.flatMap((folder) =>
  readdirSync(folder)
    .filter((entry) => entry.endsWith(".wav"))
    .sort()
    .map((entry) => join(folder, entry)),
);
for (const path of wavPaths) {
  const clip = JSON.parse(readFileSync(path.replace(/wav$/, "json"), "utf8")) as Clip;
  const key = `${basename(dirname(path))} | ${clip.kind}`;
  const total = totals.get(key) ?? {
    steps: 0,
    hits: 0,
    wrong: 0,
    missed: 0,
    edgesFound: 0,
    edges: 0,
    offsets: [],
  };
  totals.set(key, total);
  tally(clip, await detect(path), total);
}

async function measureSpeed(minutes: number): Promise<string> {
  const noise = Float32Array.from(
    { length: minutes * 60 * SAMPLE_RATE_HZ },
    (_, n) => 0.1 * Math.sin(n * (0.01 + (n % 50_000) * 1e-6)),
  );
  const path = join(workFolder, "long.wav");
  writeSound(path, [noise], SAMPLE_RATE_HZ);
  const cpuBefore = await readCpuMs(process.pid);
  const before = performance.now();
  await detect(path);
  const wall = (performance.now() - before) / 1000;
  const cpu = ((await readCpuMs(process.pid)) - cpuBefore) / 1000;
  const memory = engine.pid === undefined ? 0 : (await readMemory(engine.pid)).peakMb;
  return `${minutes} minutes in ${wall.toFixed(0)} s (${((minutes * 60) / wall).toFixed(0)} × real time), ${cpu.toFixed(0)} CPU-seconds; engine process at most ${memory} MB`;
}

const hasMusic = ({ hits, missed }: Tally) => hits + missed > 0;
const speed = await measureSpeed(Number(values.minutes));
await engine.close();
rmSync(workFolder, { recursive: true });
const lines = [
  "# Music detection",
  "",
  ...describeRun(),
  "- clips of 30 s (`training/mix/held_out_detection.py`), detected by the engine: `npm run bench detection`",
  "- `held-out`: held-out sounds of the training sources; confidence and checkpoint were chosen on them",
  "- `test`: other sources (`training/data/music-detection-test.json`); nothing was chosen on them",
  "",
  "| set | clips | F1 of 0.1 s steps | precision | recall | boundaries within 0.5 s | of those found within 2 s | median error of a boundary |",
  "|---|---|---|---|---|---|---|---|",
  ...[...totals]
    .filter(([, total]) => hasMusic(total))
    .map(([key, { hits, wrong, missed, edgesFound, edges, offsets }]) => {
      const share = (part: number, whole: number) => (part / whole).toFixed(3);
      return `| ${key} | ${share(2 * hits, 2 * hits + wrong + missed)} | ${share(hits, hits + wrong)} | ${share(hits, hits + missed)} | ${share(edgesFound, edges)} of ${edges} | ${share(edgesFound, offsets.length)} | ${median(offsets).toFixed(2)} s |`;
    }),
  "",
  ...[...totals]
    .filter(([, total]) => !hasMusic(total))
    .flatMap(([key, { wrong, steps }]) => [
      `Without music (${key}): ${((100 * wrong) / steps).toFixed(1)} % of ${(steps / 10).toFixed(0)} s are taken for music.`,
      "",
    ]),
  `Speed: ${speed}.`,
];
writeFileSync(RESULTS, `${lines.join("\n")}\n`);
console.log(lines.join("\n"));
