import { readdirSync } from "node:fs";
import { join } from "node:path";
import { joinSamples } from "../../packages/engine/pipelines/support/join-samples.ts";
import { loadTimit, TIMIT_RATE_HZ, type TimitUtterance } from "../align/load-timit.ts";
import { atRate } from "../at-rate.ts";
import { type EngineBench, readPlane } from "../engine-bench.ts";
import { countWordErrors } from "../speech/word-errors.ts";
import type { Figures } from "../voices/figures.ts";
import { DeepFilter } from "./deep-filter.ts";

const SNRS_DB = [-5, 0, 5, 10];
const PAUSE_SECONDS = 0.5;
const MODELS = ["speech_denoise", "speech_dereverb"] as const;
const HEARD = ["as it is", ...MODELS, "DeepFilterNet3"] as const;

type Errors = { words: number } & Record<(typeof HEARD)[number], number>;

/** A table of words wrong in TIMIT's sentences under held-out noises: transcribed as they are, and after cleaning. */
export async function measureNoisyWords(
  bench: EngineBench,
  { timit, folder, peer, sentences }: { timit: string; folder: string; peer: DeepFilter; sentences: number },
  figures: Figures,
): Promise<string[]> {
  const speakers = [...Map.groupBy(loadTimit(timit), ({ speaker }) => speaker).values()];
  const noises = readdirSync(folder)
    .filter((name) => name.startsWith("noise-"))
    .sort();
  const rows: string[] = [];
  for (const snrDb of [Number.POSITIVE_INFINITY, ...SNRS_DB]) {
    const total: Errors = {
      words: 0,
      "as it is": 0,
      speech_denoise: 0,
      speech_dereverb: 0,
      DeepFilterNet3: 0,
    };
    for (const [index, all] of speakers.entries()) {
      const noise = noises[Math.floor((index * noises.length) / speakers.length)] ?? "";
      const said = all.slice(0, sentences);
      const measure = async () => {
        const mixed = mix(said, readPlane(join(folder, noise, "noise.wav")), snrDb);
        return hearAll(bench, { mixed, text: said.map(({ text }) => text).join(" "), peer });
      };
      const errors = await figures.measure(`words ${snrDb} ${all[0]?.speaker} ${sentences}`, measure);
      for (const field of ["words", ...HEARD] as const) total[field] += errors[field];
    }
    const cells = HEARD.map((field) => ((100 * total[field]) / total.words).toFixed(1));
    rows.push(
      `| ${snrDb === Number.POSITIVE_INFINITY ? "no noise" : `${snrDb} dB`} | ${cells.join(" | ")} |`,
    );
  }
  return [`| SNR | ${HEARD.join(" | ")} |`, "|---|---|---|---|---|", ...rows];
}

/** Sentences with pauses, in a noise that is repeated as long as they last. */
function mix(said: readonly TimitUtterance[], noise: Float32Array, snrDb: number): Float32Array {
  const pause = new Float32Array(PAUSE_SECONDS * TIMIT_RATE_HZ);
  const speech = joinSamples([pause, ...said.flatMap(({ samples }) => [samples, pause])]);
  const behind = atRate(noise, DeepFilter.sampleRateHz, TIMIT_RATE_HZ);
  const gain = (findLevel(speech) / findLevel(behind)) * 10 ** (-snrDb / 20);
  const mixed = speech.map((value, n) => value + gain * (behind[n % behind.length] ?? 0));
  const peak = mixed.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  return mixed.map((value) => (0.5 * value) / peak);
}

/** RMS of the tenths of a second that are not silent, as in `training/mix/held_out_speech.py`. */
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
  { mixed, text, peer }: { mixed: Float32Array; text: string; peer: DeepFilter },
): Promise<Errors> {
  const path = bench.write("mixed", mixed, TIMIT_RATE_HZ);
  const countWrong = async (inputPath: string) =>
    countWordErrors(text, await bench.transcribe(inputPath)).wrong;
  const [denoised = mixed, dry = mixed] = await bench.takeSounds(path, MODELS);
  const fullBand = atRate(mixed, TIMIT_RATE_HZ, DeepFilter.sampleRateHz);
  const filtered = await peer.clean(fullBand);
  return {
    words: countWordErrors(text, "").of,
    "as it is": await countWrong(path),
    speech_denoise: await countWrong(bench.write("cleaned", denoised, TIMIT_RATE_HZ)),
    speech_dereverb: await countWrong(bench.write("cleaned", dry, TIMIT_RATE_HZ)),
    DeepFilterNet3: await countWrong(bench.write("cleaned", filtered, DeepFilter.sampleRateHz)),
  };
}
