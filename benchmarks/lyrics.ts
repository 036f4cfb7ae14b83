import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { alignText } from "../packages/engine/alignment/align-text.ts";
import type { AlignedWord } from "../packages/engine/alignment/force-align.ts";
import { toSampleRate } from "../packages/engine/dsp/resampling/resampled-source.ts";
import { ArraySource } from "../packages/engine/dsp/sources/array-source.ts";
import { MonoSource } from "../packages/engine/dsp/sources/mono-source.ts";
import { EngineProcess } from "../packages/engine/index.ts";
import { loadManifests } from "../packages/engine/manifests/manifest.ts";
import { NetworkStore } from "../packages/engine/networks/network-store.ts";
import { readSound } from "../packages/engine/support/sound-file.ts";
import { toFigures } from "./align/boundary-errors.ts";
import { loadSongs, type Song } from "./align/load-song.ts";
import { type LyricsCase, makeLyricsCases, type SongSound } from "./align/lyrics-cases.ts";
import { describeRun } from "./machine.ts";
import { findWhisper, transcribeSamples } from "./speech/transcribe-samples.ts";

/*
 * How well lyrics are timed that do not quite fit the song: verses missing from the text or from the song, headings, breaks, repeats.
 * Takes a folder of songs as `bench align` has them, and one for the stems, which are reused by the next run.
 */
const [, , songsDir, workDir] = process.argv;
if (songsDir === undefined || workDir === undefined) {
  throw new Error("usage: npm run bench lyrics -- <folder of songs> <folder for their stems>");
}
const RATE_HZ = 16_000;
/** The worst gap is the mean error of this many words in a row. */
const RUN_WORDS = 8;

const manifests = loadManifests();
const whisperManifest = findWhisper(manifests);
const networks = new NetworkStore({ threads: 2, cacheDir: join(workDir, "cache") });
const engine = new EngineProcess();
mkdirSync(workDir, { recursive: true });

async function separate({ path, name }: Song): Promise<{ vocals: Float32Array; rest: Float32Array }> {
  const pathOf = (stem: string) => join(workDir ?? "", `${name}.${stem}.wav`);
  if (!existsSync(pathOf("vocals"))) {
    const file = (output: "stem" | "residual", stem: string) =>
      ({ output, format: "wav", path: pathOf(stem), wavBitDepth: 32 }) as const;
    await engine.run(
      {
        inputPath: path,
        workDir: join(workDir ?? "", `${name}-work`),
        targets: [
          {
            kind: "sound",
            key: "v",
            model: "vocals",
            files: [file("stem", "vocals"), file("residual", "rest")],
          },
        ],
      },
      {
        onTargetFailed: (_, error) => {
          throw error;
        },
      },
    );
  }
  const load = (stem: string) => {
    const { planes, sampleRateHz } = readSound(pathOf(stem));
    const source = toSampleRate(new MonoSource(new ArraySource(planes, sampleRateHz)), {
      sampleRateHz: RATE_HZ,
      isForNetwork: true,
    });
    return source.read(0, source.lengthFrames)[0] ?? new Float32Array();
  };
  return { vocals: load("vocals"), rest: load("rest") };
}

/** Errors of words that are sung; how many that are not sung have a confidence, and how many that are have none. */
async function measure({ words, text, samples, spoken }: LyricsCase) {
  const entries: (AlignedWord | null)[][] = [];
  const aligned = await alignText({
    text,
    spoken,
    source: new ArraySource([samples], RATE_HZ),
    getWhisper: () => networks.getWhisper(whisperManifest),
    log: { entries, append: (found) => void entries.push(...found) },
  });
  const timed = aligned.lines.flatMap((line) => line.words);
  const errors = words.flatMap(({ startSeconds }, n) => {
    const found = timed[n]?.startSeconds ?? Number.NaN;
    return startSeconds.length === 0 ? [] : [Math.min(...startSeconds.map((at) => Math.abs(found - at)))];
  });
  const unsung = timed.filter((_, n) => words[n]?.startSeconds.length === 0);
  return {
    errors,
    unsung: unsung.length,
    falselyFound: unsung.filter(({ confidence }) => confidence > 0).length,
  };
}

function findWorst(errors: readonly number[]): number {
  const means = errors.slice(RUN_WORDS - 1).map((_, n) => toFigures(errors.slice(n, n + RUN_WORDS)).mean);
  return Math.max(0, ...means);
}

const rows: string[] = [];
for (const song of loadSongs(songsDir)) {
  const stems = await separate(song);
  const spoken = await transcribeSamples(stems.vocals, {
    ...{ networks, manifests, language: song.language },
    workDir: join(workDir, `${song.name}-heard`),
  });
  const sound: SongSound = { ...stems, spoken };
  for (const lyrics of makeLyricsCases(song, sound)) {
    const { errors, unsung, falselyFound } = await measure(lyrics);
    const { mean, median, share } = toFigures(errors);
    rows.push(
      `| ${song.name.split("_-_")[0]} | ${lyrics.name} | ${errors.length} | ${mean.toFixed(3)} s | ${median.toFixed(3)} s | ${(share(0.3) * 100).toFixed(1)} % | ${findWorst(errors).toFixed(2)} s | ${unsung === 0 ? "" : `${falselyFound} of ${unsung}`} |`,
    );
    console.log(rows.at(-1));
  }
}
await engine.close();
writeFileSync(
  join(import.meta.dirname, "results/lyrics.md"),
  `${[
    "# Lyrics that do not quite fit the song",
    "",
    "Jamendo's songs with changed texts and spliced vocals; errors of the onsets of sung words. The worst gap is the highest mean of eight words",
    "in a row. Unsung: how many of the words that are not sung, or are wrong, have a confidence above 0.",
    "",
    "| song | case | words | mean error | median | within 0.3 s | worst gap | unsung found |",
    "|---|---|---|---|---|---|---|---|",
    ...rows,
    "",
    ...describeRun(),
  ].join("\n")}\n`,
);
process.exit(0);
