import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import type { Figures } from "./figures.ts";
import { readRecording } from "./read-recording.ts";
import { findImprovement } from "./si-sdr.ts";
import type { VoicesBench } from "./take-apart.ts";

const LOW_DB = 3;

/** Subfolders, or the folder itself, with s0.wav and s1.wav. */
export function listPairs(folder: string): string[] {
  const isPair = (path: string) => existsSync(join(path, "s0.wav")) && existsSync(join(path, "s1.wav"));
  if (isPair(folder)) return [folder];
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .filter(isPair);
}

export async function readPair(folder: string) {
  const [first, second] = [
    await readRecording(join(folder, "s0.wav")),
    await readRecording(join(folder, "s1.wav")),
  ];
  const [a = new Float32Array(), b = new Float32Array()] = [first.planes[0], second.planes[0]];
  const length = Math.min(a.length, b.length);
  const voices = [a.subarray(0, length), b.subarray(0, length)] as const;
  return {
    voices,
    mix: voices[0].map((value, n) => value + (voices[1][n] ?? 0)),
    sampleRateHz: first.sampleRateHz,
  };
}

/** A row on pairs of overlapping voices: the SI-SDR improvement of each voice's file over the mixture. */
export async function measurePairs(bench: VoicesBench, folder: string, figures: Figures): Promise<string> {
  const gains: number[] = [];
  for (const pair of listPairs(folder)) {
    gains.push(
      await figures.measure(`pair ${basename(folder)}/${basename(pair)}`, async () => {
        const { voices, mix, sampleRateHz } = await readPair(pair);
        const { planes } = await bench.takeApart(bench.write("mix", mix, sampleRateHz), "two_speaker");
        return findImprovement(voices, mix, planes);
      }),
    );
  }
  const sorted = gains.toSorted((a, b) => a - b);
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length;
  const low = gains.filter((gain) => gain < LOW_DB).length / gains.length;
  const figuresOfAll = [mean, sorted[Math.floor(gains.length / 2)], sorted[0]].map((gain) =>
    gain?.toFixed(1),
  );
  return `| ${basename(folder)} | ${gains.length} | ${figuresOfAll.join(" | ")} | ${(100 * low).toFixed(1)} % |`;
}
