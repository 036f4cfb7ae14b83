import { readdirSync } from "node:fs";
import { join } from "node:path";
import { joinSamples } from "../../packages/engine/pipelines/support/join-samples.ts";
import { loadTimit, TIMIT_RATE_HZ, type TimitUtterance } from "../align/load-timit.ts";
import { atRate } from "../at-rate.ts";
import { type EngineBench, readPlane } from "../engine-bench.ts";
import { countWordErrors } from "../speech/word-errors.ts";
import type { Figures } from "../voices/figures.ts";
import { DeepFilter } from "./deep-filter.ts";

const SNRS_DB = [-5, 0, 5, 10, Number.POSITIVE_INFINITY];
const PAUSE_SECONDS = 0.5;
/** How much of the noise is left, as an amplitude. */
const HEARD = { "as it is": 1, "noise halved": 0.5, speech_denoise: 0 } as const;
type Heard = keyof typeof HEARD;
const VARIANTS = Object.keys(HEARD) as Heard[];

type Errors = { words: number } & Record<Heard, number>;
type Spoken = { name: string; said: readonly TimitUtterance[]; noise: Float32Array };

/**
 * Tables of word errors in TIMIT's sentences, a recording per speaker and noise, all noises held out: transcribed as they are, with half of the noise,
 * and after cleaning.
 */
export async function measureNoisyWords(
  bench: EngineBench,
  { timit, folder, sentences, noises }: { timit: string; folder: string; sentences: number; noises: number },
  figures: Figures,
): Promise<string[]> {
  const speakers = [...Map.groupBy(loadTimit(timit), ({ speaker }) => speaker).values()];
  const all = readdirSync(folder)
    .filter((name) => name.startsWith("noise-"))
    .sort();
  const spoken = Array.from({ length: speakers.length * noises }, (_, index): Spoken => {
    const name = all[Math.floor((index * all.length) / (speakers.length * noises))] ?? "";
    // The first two sentences are the same for all speakers.
    const said = speakers[Math.floor(index / noises)]!.slice(-sentences);
    return {
      name: `${said[0]!.speaker} ${name} ${sentences}`,
      said,
      noise: readPlane(join(folder, name, "noise.wav")),
    };
  });
  const rows: string[] = [];
  for (const snrDb of SNRS_DB) {
    const errors: Errors[] = [];
    for (const one of spoken)
      errors.push(await figures.measure(`words ${snrDb} ${one.name}`, () => hear(bench, one, snrDb)));
    const words = sumOf(errors.map((one) => one.words));
    const cells = VARIANTS.map((variant) => {
      const wrong = ((100 * sumOf(errors.map((one) => one[variant]))) / words).toFixed(1);
      if (variant === "as it is") return wrong;
      const chance = findChance(errors.map((one) => one[variant] - one["as it is"]));
      return `${wrong} (${chance.toFixed(2)})`;
    });
    const name = Number.isFinite(snrDb) ? `${snrDb} dB` : "no noise";
    rows.push(`| ${name} | ${words} | ${cells.join(" | ")} |`);
  }
  return [`| SNR | words | ${VARIANTS.join(" | ")} |`, "|---|---|---|---|---|", ...rows];
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/**
 * How likely a sum at least as far from 0 is if each difference could as well have had the other sign: a paired permutation test that counts all choices
 * of signs.
 */
function findChance(differences: readonly number[]): number {
  let counts = new Map([[0, 1]]);
  for (const difference of differences) {
    const next = new Map<number, number>();
    for (const [sum, count] of counts)
      for (const value of [sum + difference, sum - difference])
        next.set(value, (next.get(value) ?? 0) + count);
    counts = next;
  }
  const limit = Math.abs(sumOf(differences));
  const far = [...counts].filter(([sum]) => Math.abs(sum) >= limit).map(([, count]) => count);
  return sumOf(far) / 2 ** differences.length;
}

/** One speaker's sentences with pauses, in a noise looped to their length. */
function mix({ said, noise }: Spoken, snrDb: number): Float32Array {
  const pause = new Float32Array(PAUSE_SECONDS * TIMIT_RATE_HZ);
  const speech = joinSamples([pause, ...said.flatMap(({ samples }) => [samples, pause])]);
  const behind = atRate(noise, DeepFilter.sampleRateHz, TIMIT_RATE_HZ);
  const gain = (findLevel(speech) / findLevel(behind)) * 10 ** (-snrDb / 20);
  const mixed = speech.map((value, n) => value + gain * (behind[n % behind.length] ?? 0));
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

async function hear(bench: EngineBench, spoken: Spoken, snrDb: number): Promise<Errors> {
  const text = spoken.said.map((one) => one.text).join(" ");
  const mixed = mix(spoken, snrDb);
  const [denoised = mixed] = await bench.takeSounds(bench.write("mixed", mixed, TIMIT_RATE_HZ), [
    "speech_denoise",
  ]);
  const errors: Errors = {
    words: countWordErrors(text, "").of,
    "as it is": 0,
    "noise halved": 0,
    speech_denoise: 0,
  };
  for (const variant of VARIANTS) {
    const left = HEARD[variant];
    const heard = mixed.map((value, n) => left * value + (1 - left) * denoised[n]!);
    const written = await bench.transcribe(bench.write("heard", heard, TIMIT_RATE_HZ));
    errors[variant] = countWordErrors(text, written).wrong;
  }
  return errors;
}
