import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loadManifests } from "../packages/engine/manifests/manifest.ts";
import { NetworkStore } from "../packages/engine/networks/network-store.ts";
import { joinSamples } from "../packages/engine/support/join-samples.ts";
import { readSound } from "../packages/engine/support/sound-file.ts";
import { TargetOutcomes } from "../packages/engine/targets/target-outcomes.ts";
import { makeNoiseHalver } from "../packages/engine/transcription/halve-noise.ts";
import { loadTimit, TIMIT_RATE_HZ, type TimitUtterance } from "./align/load-timit.ts";
import { atRate } from "./at-rate.ts";
import { describeRun } from "./machine.ts";
import { findChance } from "./speech/find-chance.ts";
import { transcribeSamples } from "./speech/transcribe-samples.ts";
import { countWordErrors } from "./speech/word-errors.ts";
import { Figures } from "./voices/figures.ts";

/*
 * Words wrong in noise, as the engine transcribes, and without its second look at improbable windows (`halve-noise.ts`).
 *
 *   npm run bench noise -- TIMIT NOISES [--figures FILE] [--about TEXT]
 *
 * NOISES: a folder of at least 32 wav files in float that no network was trained on; TEXT says which. A recording is eight sentences of one speaker in
 * one noise; each of the eight speakers gets four noises. What is in the file of figures is not measured again.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    figures: { type: "string" },
    about: { type: "string", default: "noises that no network was trained on" },
  },
});
const [timitFolder, noiseFolder] = positionals;
if (timitFolder === undefined || noiseFolder === undefined)
  throw new Error("usage: npm run bench noise -- TIMIT NOISES; see the head of benchmarks/noisy-words.ts");

const PAUSE_SECONDS = 0.5;
/** The first two sentences of a speaker are the same for all. */
const SENTENCES = 8;
const NOISES_EACH = 4;
const SNRS_DB = [-5, 0, 5, Number.POSITIVE_INFINITY];
const WAYS = ["once", "engine"] as const;
type Way = (typeof WAYS)[number];
type Spoken = { name: string; said: readonly TimitUtterance[]; noise: Float32Array };
type Measured = { words: number; wrong: Record<Way, number>; cpuSeconds: Record<Way, number> };

const about = describeRun();
const figures = new Figures(values.figures);
const manifests = loadManifests();
const networks = new NetworkStore({ threads: 2 });
const outcomes = new TargetOutcomes({ report: {}, previews: undefined, common: { durationSeconds: 0 } });
const noiseHalver = makeNoiseHalver(networks, manifests, outcomes);
if (noiseHalver === undefined) throw new Error("the network for clean speech is missing");
const spoken = listSpoken(timitFolder, noiseFolder);

const rows: string[] = [];
for (const snrDb of SNRS_DB) {
  const measured: Measured[] = [];
  const name = Number.isFinite(snrDb) ? `${snrDb} dB` : "no noise";
  for (const [index, one] of spoken.entries())
    measured.push(await figures.measure(`${name} ${one.name}`, () => measure(one, snrDb, index % 2 === 1)));
  rows.push(toRow(name, measured));
}
const lines = [
  "# Words in noise",
  "",
  ...about,
  `- words wrong of whisper-small; eight of TIMIT's speakers, ${SENTENCES} sentences each, ${spoken.length} recordings at each SNR: \`npm run bench noise\``,
  `- ${values.about}`,
  "",
  `| SNR | words | ${WAYS.join(" | ")} | chance | CPU-seconds, ${WAYS.join(" / ")} |`,
  "|---|---|---|---|---|---|",
  ...rows,
  "",
  "`once` transcribes each window once; `engine` also with half of its noise if the text is improbable and there is much noise, and keeps the more",
  "probable one. The chance is that of a difference at least as large if nothing had changed (permutation test over the recordings).",
];
writeFileSync(join(import.meta.dirname, "results/noisy-words.md"), `${lines.join("\n")}\n`);
console.log(lines.join("\n"));
process.exit(0);

function listSpoken(timit: string, folder: string): Spoken[] {
  const speakers = [...Map.groupBy(loadTimit(timit), ({ speaker }) => speaker).values()];
  const noises = readdirSync(folder).sort();
  return Array.from({ length: speakers.length * NOISES_EACH }, (_, index) => {
    const said = (speakers[index % speakers.length] ?? []).slice(-SENTENCES);
    const file = noises[index % noises.length] ?? "";
    const { planes, sampleRateHz } = readSound(join(folder, file));
    const noise = atRate(planes[0] ?? new Float32Array(), sampleRateHz, TIMIT_RATE_HZ);
    return { name: `${said[0]?.speaker} ${file}`, said, noise };
  });
}

async function measure({ said, noise }: Spoken, snrDb: number, isReversed: boolean): Promise<Measured> {
  const text = said.map((one) => one.text).join(" ");
  const mixed = mix(said, noise, snrDb);
  const nothing = { once: 0, engine: 0 };
  const result = { words: countWordErrors(text, "").of, wrong: { ...nothing }, cpuSeconds: { ...nothing } };
  for (const way of isReversed ? WAYS.toReversed() : WAYS) {
    const before = process.cpuUsage();
    result.wrong[way] = countWordErrors(text, await transcribeMixed(mixed, way)).wrong;
    const { user, system } = process.cpuUsage(before);
    result.cpuSeconds[way] = (user + system) / 1e6;
  }
  return result;
}

async function transcribeMixed(samples: Float32Array, way: Way): Promise<string> {
  const workDir = mkdtempSync(join(tmpdir(), "stemwright-bench-"));
  const recognised = await transcribeSamples(samples, {
    ...{ networks, manifests, workDir, language: "en" },
    noiseHalver: way === "engine" ? noiseHalver : undefined,
  });
  rmSync(workDir, { recursive: true });
  return recognised.lines.flatMap(({ words }) => words.map(({ text }) => text)).join(" ");
}

function toRow(name: string, measured: readonly Measured[]): string {
  const sumOf = (pick: (one: Measured) => number) => measured.reduce((sum, one) => sum + pick(one), 0);
  const wrong = WAYS.map((way) => sumOf((one) => one.wrong[way]));
  const chance = findChance(measured.map((one) => one.wrong.engine - one.wrong.once));
  const cpu = WAYS.map((way) => sumOf((one) => one.cpuSeconds[way]).toFixed(0)).join(" / ");
  const likely = chance < 0.001 ? "< 0.001" : chance.toFixed(3);
  return `| ${name} | ${sumOf(({ words }) => words)} | ${wrong.join(" | ")} | ${likely} | ${cpu} |`;
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
