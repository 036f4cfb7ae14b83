import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type EngineBench, readPlane } from "../engine-bench.ts";
import type { Figures } from "../voices/figures.ts";
import { findSiSdr } from "../voices/si-sdr.ts";
import { DeepFilter } from "./deep-filter.ts";
import { findLoudnessScore } from "./loudness-score.ts";
import { findStoi } from "./stoi.ts";

const MAKERS = ["untouched", "ours", "DeepFilterNet3"] as const;
type Maker = (typeof MAKERS)[number];
type Scores = { siSdr: number; stoi: number; loudness: number };
type Measured = Record<Maker, Scores>;

/** Content of a recording, the model tested, and the parts that make up its expected output. */
const TESTS = [
  { kind: "noise", model: "speech_denoise", parts: ["dry", "room"] },
  { kind: "both", model: "speech_denoise", parts: ["dry", "room"] },
  { kind: "rooms", model: "speech_dereverb", parts: ["dry"] },
  { kind: "both", model: "speech_dereverb", parts: ["dry"] },
] as const;

/** A table of the held-out recordings: before, after our model and after DeepFilterNet3. */
export async function measureRecordings(
  bench: EngineBench,
  { folder, peer, count }: { folder: string; peer: DeepFilter; count: number },
  figures: Figures,
): Promise<string[]> {
  const rows: string[] = [];
  for (const { kind, model, parts } of TESTS) {
    const names = readdirSync(folder)
      .filter((name) => name.startsWith(`${kind}-`))
      .sort()
      .slice(0, count);
    const all: Measured[] = [];
    for (const name of names) {
      const measure = () => measureOne(bench, { folder: join(folder, name), model, parts, peer });
      all.push(await figures.measure(`${model} ${name}`, measure));
    }
    for (const maker of MAKERS) rows.push(`| ${kind} | ${model} | ${describe(maker, all)} |`);
  }
  return [
    "| recordings with | goal | by | SI-SDR gain, dB | worst tenth below | STOI | loudness score |",
    "|---|---|---|---|---|---|---|",
    ...rows,
  ];
}

async function measureOne(
  bench: EngineBench,
  {
    folder,
    model,
    parts,
    peer,
  }: { folder: string; model: string; parts: readonly string[]; peer: DeepFilter },
): Promise<Measured> {
  const path = join(folder, "mix.wav");
  const mix = readPlane(path);
  const planes = parts.map((part) => readPlane(join(folder, `${part}.wav`)));
  const truth = mix.map((_, n) => planes.reduce((sum, plane) => sum + plane[n]!, 0));
  const [ours = mix] = await bench.takeSounds(path, [model]);
  const score = (estimate: Float32Array): Scores => ({
    siSdr: findSiSdr(truth, estimate),
    stoi: findStoi(truth, estimate, DeepFilter.sampleRateHz),
    loudness: findLoudnessScore(truth, estimate, DeepFilter.sampleRateHz),
  });
  return { untouched: score(mix), ours: score(ours), DeepFilterNet3: score(await peer.clean(mix)) };
}

function describe(maker: Maker, all: readonly Measured[]): string {
  const gains = all.map((one) => one[maker].siSdr - one.untouched.siSdr).toSorted((a, b) => a - b);
  const mean = (values: readonly number[]) =>
    values.reduce((total, value) => total + value, 0) / values.length;
  const meanOf = (measure: keyof Scores) => mean(all.map((one) => one[maker][measure]));
  const before = mean(all.map((one) => one.untouched.siSdr)).toFixed(1);
  const gained =
    maker === "untouched"
      ? `(${before}) | `
      : `${mean(gains).toFixed(2)} | ${gains[Math.floor(gains.length / 10)]?.toFixed(1)}`;
  return `${maker} | ${gained} | ${meanOf("stoi").toFixed(4)} | ${meanOf("loudness").toFixed(2)}`;
}
