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
const HEARD = ["as it is", "noise halved", "speech_denoise"] as const;

type Errors = { words: number } & Record<(typeof HEARD)[number], number>;
type Spoken = { said: readonly TimitUtterance[]; noise: Float32Array };

/**
 * A table of word errors in TIMIT's sentences, each speaker in another held-out noise: transcribed as they are, with the noise 6 dB lower, and after
 * cleaning.
 */
export async function measureNoisyWords(
  bench: EngineBench,
  { timit, folder, sentences }: { timit: string; folder: string; sentences: number },
  figures: Figures,
): Promise<string[]> {
  const speakers = [...Map.groupBy(loadTimit(timit), ({ speaker }) => speaker).values()];
  const noises = readdirSync(folder)
    .filter((name) => name.startsWith("noise-"))
    .sort();
  const spoken = speakers.map((all, index): Spoken => {
    const name = noises[Math.floor((index * noises.length) / speakers.length)] ?? "";
    // The first two are the same for all speakers.
    return { said: all.slice(-sentences), noise: readPlane(join(folder, name, "noise.wav")) };
  });
  const rows: string[] = [];
  for (const snrDb of SNRS_DB) {
    const errors = await figures.measure(`words ${snrDb} ${sentences}`, () =>
      hearAll(bench, { spoken, snrDb }),
    );
    const cells = HEARD.map((field) => ((100 * errors[field]) / errors.words).toFixed(1));
    const name = Number.isFinite(snrDb) ? `${snrDb} dB` : "no noise";
    rows.push(`| ${name} | ${errors.words} | ${cells.join(" | ")} |`);
  }
  return [`| SNR | words | ${HEARD.join(" | ")} |`, "|---|---|---|---|---|", ...rows];
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

async function hearAll(
  bench: EngineBench,
  { spoken, snrDb }: { spoken: readonly Spoken[]; snrDb: number },
): Promise<Errors> {
  const text = spoken.flatMap(({ said }) => said.map((one) => one.text)).join(" ");
  const mixed = joinSamples(spoken.map((one) => mix(one, snrDb)));
  const [denoised = mixed] = await bench.takeSounds(bench.write("mixed", mixed, TIMIT_RATE_HZ), [
    "speech_denoise",
  ]);
  const countWrong = async (heard: Float32Array) => {
    const written = await bench.transcribe(bench.write("heard", heard, TIMIT_RATE_HZ));
    return countWordErrors(text, written).wrong;
  };
  return {
    words: countWordErrors(text, "").of,
    "as it is": await countWrong(mixed),
    "noise halved": await countWrong(mixed.map((value, n) => (value + denoised[n]!) / 2)),
    speech_denoise: await countWrong(denoised),
  };
}
