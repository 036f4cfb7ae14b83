import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { EngineProcess } from "../packages/engine/process/engine-process.ts";
import { readSound, writeSound } from "../packages/engine/support/sound-file.ts";
import { describeRun } from "./machine.ts";
import { readCpuMs } from "./process-figures.ts";

/*
 * The dialogue, music and effects network on its held-out mixtures, as the service runs it, beside htdemucs's vocals taken as the dialogue on the first
 * of them; then its speed on a minute. The mixtures: `python3 -m training.mix.held_out --packs PACKS --out FOLDER`.
 *
 *   npm run bench dialogue -- FOLDER [--count 120] [--vocals 40]        Ctrl-C ends it with the mixtures done so far
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    count: { type: "string", default: "120" },
    vocals: { type: "string", default: "40" },
  },
});
const [folder] = positionals;
if (folder === undefined)
  throw new Error("name the folder of held-out mixtures: see the head of benchmarks/dialogue.ts");

const STEMS = ["dialogue", "music", "effects"] as const;
const RESULTS = join(import.meta.dirname, "results/dialogue.md");
const MINUTE_SECONDS = 60;

type Planes = Float32Array[];
type Scores = { siSdr: number; sdr: number };

const workFolder = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
const engine = new EngineProcess();

function sum(planes: Planes, other: Planes, pick: (a: number, b: number) => number): number {
  let total = 0;
  planes.forEach((plane, channel) => {
    plane.forEach((value, n) => {
      total += pick(value, other[channel]?.[n] ?? 0);
    });
  });
  return total;
}

function score(truth: Planes, estimate: Planes): Scores {
  const power = sum(truth, truth, (a) => a * a);
  const scale = sum(truth, estimate, (a, b) => a * b) / power;
  const toDb = (signal: number, error: number) => 10 * Math.log10(signal / Math.max(error, 1e-12));
  return {
    sdr: toDb(
      power,
      sum(truth, estimate, (a, b) => (a - b) ** 2),
    ),
    siSdr: toDb(
      scale * scale * power,
      sum(truth, estimate, (a, b) => (scale * a - b) ** 2),
    ),
  };
}

async function separate(inputPath: string, models: readonly string[]): Promise<Map<string, Planes>> {
  const pathOf = (model: string) => join(workFolder, `${model}.wav`);
  await engine.run({
    inputPath,
    workDir: join(workFolder, "work"),
    targets: models.map((model) => ({
      kind: "sound",
      key: model,
      model,
      files: [{ output: "stem", format: "wav", path: pathOf(model) }],
    })),
  });
  rmSync(join(workFolder, "work"), { recursive: true });
  return new Map(models.map((model) => [model, readSound(pathOf(model)).planes]));
}

function minus(planes: Planes, other: Planes | undefined): Planes {
  return planes.map((plane, channel) => plane.map((value, n) => value - (other?.[channel]?.[n] ?? 0)));
}

function summarize(scores: readonly number[]): string {
  const sorted = scores.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
  const mean = scores.reduce((total, value) => total + value, 0) / scores.length;
  return [mean, at(0.1), at(0.5), at(0.9)].map((value) => value.toFixed(2)).join(" | ");
}

const names = readdirSync(folder).sort().slice(0, Number(values.count));
const ours: Record<(typeof STEMS)[number], Scores[]> = { dialogue: [], music: [], effects: [] };
const vocals: Scores[] = [];
let isAsked = true;
process.once("SIGINT", () => {
  isAsked = false;
});
for (const [number, name] of names.entries()) {
  if (!isAsked) break;
  const truth = (stem: string) => readSound(join(folder, name, `${stem}.wav`)).planes;
  const mixPath = join(folder, name, "mix.wav");
  const made = await separate(mixPath, ["dialogue", "effects", "music_removal"]);
  const music = minus(truth("mix"), made.get("music_removal"));
  ours.dialogue.push(score(truth("dialogue"), made.get("dialogue") ?? []));
  ours.music.push(score(truth("music"), music));
  ours.effects.push(score(truth("effects"), made.get("effects") ?? []));
  if (number < Number(values.vocals)) {
    const sung = await separate(mixPath, ["vocals"]);
    vocals.push(score(truth("dialogue"), sung.get("vocals") ?? []));
  }
  console.log(
    name,
    STEMS.map((stem) => ours[stem].at(-1)?.siSdr.toFixed(1)).join(" / "),
    vocals[number]?.siSdr.toFixed(1) ?? "",
  );
}

async function measureSpeed(): Promise<string> {
  const pieces = names
    .slice(0, MINUTE_SECONDS / 10)
    .map((name) => readSound(join(folder ?? "", name, "mix.wav")));
  const minute = [0, 1].map((channel) =>
    Float32Array.from(pieces.flatMap((piece) => Array.from(piece.planes[channel] ?? []))),
  );
  const path = join(workFolder, "minute.wav");
  writeSound(path, minute, pieces[0]?.sampleRateHz ?? 44_100);
  const seconds = (minute[0]?.length ?? 0) / (pieces[0]?.sampleRateHz ?? 44_100);
  const cpuBefore = await readCpuMs(process.pid);
  const before = performance.now();
  await separate(path, ["dialogue"]);
  const wallSeconds = (performance.now() - before) / 1000;
  const cpuSeconds = ((await readCpuMs(process.pid)) - cpuBefore) / 1000;
  return `${seconds.toFixed(0)} s of stereo, one target, including decoding, transforms and encoding: ${wallSeconds.toFixed(1)} s (${(seconds / wallSeconds).toFixed(1)} × real time), ${cpuSeconds.toFixed(1)} CPU-seconds (${((2 * seconds) / cpuSeconds).toFixed(1)} × real time on two idle cores)`;
}

const speed = await measureSpeed();
await engine.close();
rmSync(workFolder, { recursive: true });
const row = (name: string, scores: Scores[], measure: keyof Scores) =>
  `| ${name} | ${measure === "sdr" ? "SDR" : "SI-SDR"} | ${summarize(scores.map((entry) => entry[measure]))} |`;
const lines = [
  "# Dialogue, music and effects",
  "",
  ...describeRun(),
  `- the first ${ours.dialogue.length} of 120 held-out mixtures of 10 s (\`training/mix/held_out.py\`), separated by the engine: \`npm run bench dialogue\``,
  "",
  "| | dB | mean | 10 % below | median | 90 % below |",
  "|---|---|---|---|---|---|",
  ...STEMS.flatMap((stem) => [row(stem, ours[stem], "siSdr"), row(stem, ours[stem], "sdr")]),
  "",
  `htdemucs's vocals taken as the dialogue, on the first ${vocals.length} mixtures:`,
  "",
  "| | dB | mean | 10 % below | median | 90 % below |",
  "|---|---|---|---|---|---|",
  ...(["siSdr", "sdr"] as const).flatMap((measure) => [
    row("this network", ours.dialogue.slice(0, vocals.length), measure),
    row("htdemucs vocals", vocals, measure),
  ]),
  "",
  `Speed: ${speed}.`,
];
writeFileSync(RESULTS, `${lines.join("\n")}\n`);
console.log(lines.join("\n"));
