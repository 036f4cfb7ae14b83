import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { makeSyntheticSong } from "../../packages/engine/support/synthetic-song.ts";
import { makeTone, toWav } from "../support/audio.ts";
import { PROJECT_DIR } from "./installation.ts";

export type Recipe = {
  name: string;
  filename: string;
  content: Uint8Array<ArrayBuffer>;
  targets: readonly { model: string; formats: string[]; residual?: boolean }[];
  /** Relative frequency. */
  weight: number;
};

const SAMPLE_RATE_HZ = 44_100;
const SPEECH_PATH = "packages/engine/transcription/support/english.opus";

const makeSong = (seconds: number) =>
  toWav({
    sampleRateHz: SAMPLE_RATE_HZ,
    channels: makeSyntheticSong({ sampleRateHz: SAMPLE_RATE_HZ, lengthFrames: seconds * SAMPLE_RATE_HZ }),
  });

/** A second of work: a small network over very short audio. */
export const makeDetectionRecipe = (): Recipe => ({
  name: "detection",
  filename: "tone.wav",
  content: toWav(makeTone({ sampleRateHz: SAMPLE_RATE_HZ, channels: 2, lengthFrames: SAMPLE_RATE_HZ })),
  targets: [{ model: "music_detection", formats: ["json", "txt"] }],
  weight: 4,
});

/** Typical requests, with inputs as short as the networks allow. */
export async function makeRecipes(): Promise<Recipe[]> {
  const speech = await readFile(join(PROJECT_DIR, SPEECH_PATH));
  return [
    makeDetectionRecipe(),
    {
      name: "stems",
      filename: "song.wav",
      content: makeSong(2),
      targets: [
        { model: "vocals", formats: ["wav", "mp3"], residual: true },
        { model: "drums", formats: ["flac"] },
        { model: "bass", formats: ["m4a"] },
      ],
      weight: 3,
    },
    {
      name: "film",
      filename: "film.wav",
      content: makeSong(3),
      targets: [
        { model: "dialogue", formats: ["flac"] },
        { model: "effects", formats: ["wav"] },
      ],
      weight: 2,
    },
    {
      name: "words",
      filename: "speech.opus",
      content: new Uint8Array(speech),
      targets: [
        { model: "transcription", formats: ["json", "srt"] },
        { model: "alignment", formats: ["json"] },
      ],
      weight: 2,
    },
    {
      // Two segments of the network, so that there is a checkpoint between them.
      name: "checkpoint",
      filename: "long.wav",
      content: makeSong(12),
      targets: [{ model: "instrumental", formats: ["flac"] }],
      weight: 1,
    },
  ];
}

export function pickRecipe(recipes: readonly Recipe[], random: () => number): Recipe {
  let left = random() * recipes.reduce((sum, { weight }) => sum + weight, 0);
  const picked = recipes.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  if (!picked) throw new Error("there are no recipes");
  return picked;
}
