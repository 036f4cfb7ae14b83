import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { atRate } from "../at-rate.ts";
import type { Figures } from "./figures.ts";
import { listPairs, readPair } from "./measure-pairs.ts";
import { readRecording } from "./read-recording.ts";
import { findImprovement } from "./si-sdr.ts";
import type { VoicesBench } from "./take-apart.ts";

/** Level of music or noise below the voices. */
const BELOW_DB = 8;

/** A table of voice pairs with music or noise behind them: separated directly, and after extracting the dialogue. */
export async function measureBackgrounds(
  bench: VoicesBench,
  { pairs, backgrounds }: { pairs: string; backgrounds: string },
  figures: Figures,
): Promise<string[]> {
  const all = listPairs(pairs);
  const rows: string[] = [];
  for (const [index, file] of readdirSync(backgrounds).sort().entries()) {
    const pair = all[index % all.length] ?? pairs;
    const gains = await figures.measure(`background ${file} ${basename(pair)}`, async () => {
      const { voices, mix, sampleRateHz } = await readPair(pair);
      const behind = await readBehind(join(backgrounds, file), { like: mix, sampleRateHz });
      const heard = mix.map((value, n) => value + (behind[n] ?? 0));
      const path = bench.write("heard", heard, sampleRateHz);
      const separate = async (input: string) =>
        findImprovement(voices, heard, (await bench.takeApart(input, "two_speaker")).planes);
      const asItIs = await separate(path);
      const [dialogue = new Float32Array()] = await bench.takeSounds(path, ["dialogue"]);
      return {
        asItIs,
        dialogueFirst: await separate(bench.write("dialogue", dialogue, sampleRateHz)),
      };
    });
    rows.push(`| ${file} | ${gains.asItIs.toFixed(1)} | ${gains.dialogueFirst.toFixed(1)} |`);
  }
  return ["| behind the voices | as it is, dB | dialogue first, dB |", "|---|---|---|", ...rows];
}

async function readBehind(
  path: string,
  { like, sampleRateHz }: { like: Float32Array; sampleRateHz: number },
): Promise<Float32Array> {
  const { planes, sampleRateHz: rate } = await readRecording(path);
  const plane = atRate(planes[0] ?? new Float32Array(), rate, sampleRateHz).slice(0, like.length);
  const powerOf = (samples: Float32Array) => samples.reduce((sum, value) => sum + value * value, 0);
  const gain = Math.sqrt(powerOf(like) / powerOf(plane)) * 10 ** (-BELOW_DB / 20);
  return plane.map((value) => value * gain);
}
