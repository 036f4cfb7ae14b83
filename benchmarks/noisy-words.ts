import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { NetworkStore } from "../packages/engine/networks/network-store.ts";
import { makeHalveNoise } from "../packages/engine/pipelines/speech/halve-noise.ts";
import { joinSamples } from "../packages/engine/pipelines/support/join-samples.ts";
import { readSound } from "../packages/engine/pipelines/support/sound-file.ts";
import { loadManifests } from "../packages/engine/runtime/manifest.ts";
import { loadTimit, TIMIT_RATE_HZ, type TimitUtterance } from "./align/load-timit.ts";
import { atRate } from "./at-rate.ts";
import { describeRun } from "./machine.ts";
import { findChance } from "./speech/find-chance.ts";
import { transcribeSamples } from "./speech/transcribe-samples.ts";
import { countWordErrors } from "./speech/word-errors.ts";
import { Figures } from "./voices/figures.ts";

/*
 * Words wrong in noise: as the engine transcribes, without its second hearing of improbable windows (`halve-noise.ts`), and of recordings whose noise was
 * halved or removed before.
 *
 *   npm run bench:noise -- TIMIT NOISES [--figures FILE] [--first 0] [--rounds 3] [--snrs=-5,0,5] [--ways once,engine]
 *
 * NOISES: a folder of wav files that no network was trained on. A recording is eight sentences of one speaker in one noise; each of the eight speakers
 * gets another noise in each round. What is in the file of figures is not measured again.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    figures: { type: "string" },
    first: { type: "string", default: "0" },
    rounds: { type: "string", default: "3" },
    snrs: { type: "string", default: "-5,0,5" },
    ways: { type: "string", default: "once,engine" },
  },
});
const [timitFolder, noiseFolder] = positionals;
if (timitFolder === undefined || noiseFolder === undefined)
  throw new Error("usage: npm run bench:noise -- TIMIT NOISES; see the head of benchmarks/noisy-words.ts");

const PAUSE_SECONDS = 0.5;
/** The first two sentences of a speaker are the same for all. */
const SENTENCES = 8;
const WAYS = ["once", "engine", "noise halved", "noise removed"] as const;
type Way = (typeof WAYS)[number];
type Spoken = { name: string; said: readonly TimitUtterance[]; noise: Float32Array };
type Measured = { words: number; wrong: Record<string, number>; cpuSeconds: Record<string, number> };

const about = describeRun();
const figures = new Figures(values.figures);
const manifests = loadManifests();
const networks = new NetworkStore({ threads: 2 });
const halveNoise = makeHalveNoise(networks, manifests);
if (halveNoise === undefined) throw new Error("the network for clean speech is missing");
const ways = WAYS.filter((way) => values.ways.split(",").includes(way));
const snrsDb = values.snrs.split(",").map(Number);
const spoken = listSpoken(timitFolder, noiseFolder);

const rows: string[] = [];
const all: Measured[] = [];
for (const snrDb of snrsDb) {
  const measured: Measured[] = [];
  for (const [index, one] of spoken.entries())
    measured.push(
      await figures.measure(`${snrDb} dB ${one.name}`, () => measure(one, snrDb, index % 2 === 1)),
    );
  rows.push(toRow(`${snrDb} dB`, measured));
  all.push(...measured);
}
rows.push(toRow("all", all));
const lines = [
  "# Words in noise",
  "",
  ...about,
  `- words wrong of whisper-small; eight of TIMIT's speakers, ${SENTENCES} sentences each, ${spoken.length} recordings at each SNR, each in another noise that no`,
  "  network was trained on: `npm run bench:noise`",
  "",
  `| SNR | recordings | words | ${ways.join(" | ")} | CPU-seconds |`,
  `|---|---|---|${ways.map(() => "---|").join("")}---|`,
  ...rows,
  "",
  "`once` transcribes each window once; `engine` also with half of its noise if the text is improbable, and keeps the more probable one. In brackets: the",
  "chance of a difference to `once` at least as large if nothing had changed (permutation test over the recordings).",
];
writeFileSync(join(import.meta.dirname, "results/noisy-words.md"), `${lines.join("\n")}\n`);
console.log(lines.join("\n"));
process.exit(0);

function listSpoken(timit: string, folder: string): Spoken[] {
  const speakers = [...Map.groupBy(loadTimit(timit), ({ speaker }) => speaker).values()];
  const noises = readdirSync(folder).sort();
  return Array.from({ length: speakers.length * Number(values.rounds) }, (_, index) => {
    const said = (speakers[index % speakers.length] ?? []).slice(-SENTENCES);
    const file = noises[(index + Number(values.first)) % noises.length] ?? "";
    const { planes, sampleRateHz } = readSound(join(folder, file));
    const noise = atRate(planes[0] ?? new Float32Array(), sampleRateHz, TIMIT_RATE_HZ);
    return { name: `${said[0]?.speaker} ${file}`, said, noise };
  });
}

async function measure({ said, noise }: Spoken, snrDb: number, isReversed: boolean): Promise<Measured> {
  const text = said.map((one) => one.text).join(" ");
  const mixed = mix(said, noise, snrDb);
  const result: Measured = { words: countWordErrors(text, "").of, wrong: {}, cpuSeconds: {} };
  for (const way of isReversed ? ways.toReversed() : ways) {
    const before = process.cpuUsage();
    result.wrong[way] = countWordErrors(text, await hear(mixed, way)).wrong;
    const { user, system } = process.cpuUsage(before);
    result.cpuSeconds[way] = (user + system) / 1e6;
  }
  return result;
}

async function hear(mixed: Float32Array, way: Way): Promise<string> {
  const half = way.startsWith("noise") && halveNoise ? (await halveNoise(mixed)).samples : mixed;
  const samples = way === "noise removed" ? half.map((value, n) => 2 * value - (mixed[n] ?? 0)) : half;
  const workDir = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
  const heard = await transcribeSamples(samples, {
    ...{ networks, manifests, workDir, language: "en" },
    halveNoise: way === "engine" ? halveNoise : undefined,
  });
  rmSync(workDir, { recursive: true });
  return heard.lines.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");
}

function toRow(name: string, measured: readonly Measured[]): string {
  const sumOf = (pick: (one: Measured) => number) => measured.reduce((sum, one) => sum + pick(one), 0);
  const wrongOf = (one: Measured, way: Way) => one.wrong[way] ?? 0;
  const cells = ways.map((way) => {
    const wrong = sumOf((one) => wrongOf(one, way));
    if (way === "once") return `${wrong}`;
    const chance = findChance(measured.map((one) => wrongOf(one, way) - wrongOf(one, "once")));
    return `${wrong} (${chance.toFixed(3)})`;
  });
  const cpu = ways.map((way) => sumOf((one) => one.cpuSeconds[way] ?? 0).toFixed(0)).join(" / ");
  return `| ${name} | ${measured.length} | ${sumOf(({ words }) => words)} | ${cells.join(" | ")} | ${cpu} |`;
}

/** Sentences with pauses between them, in a noise looped to their length. */
function mix(said: readonly TimitUtterance[], noise: Float32Array, snrDb: number): Float32Array {
  const pause = new Float32Array(PAUSE_SECONDS * TIMIT_RATE_HZ);
  const speech = joinSamples([pause, ...said.flatMap(({ samples }) => [samples, pause])]);
  const gain = (findLevel(speech) / findLevel(noise)) * 10 ** (-snrDb / 20);
  const mixed = speech.map((value, n) => value + gain * (noise[n % noise.length] ?? 0));
  const peak = mixed.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return mixed.map((value) => (0.5 * value) / peak);
}

/** RMS of the non-silent tenths of a second, as in `training/mix/held_out_speech.py`. */
function findLevel(samples: Float32Array): number {
  const block = TIMIT_RATE_HZ / 10;
  const powers = Array.from({ length: Math.floor(samples.length / block) }, (_, index) =>
    samples
      .subarray(index * block, (index + 1) * block)
      .reduce((sum, value) => sum + (value * value) / block, 0),
  );
  const mean = powers.reduce((sum, power) => sum + power, 0) / powers.length;
  const loud = powers.filter((power) => power >= mean / 30);
  return Math.sqrt(loud.reduce((sum, power) => sum + power, 0) / loud.length);
}
