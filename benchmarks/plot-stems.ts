import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EngineProcess } from "../packages/engine/index.ts";
import { readSound, writeSound } from "../packages/engine/support/sound-file.ts";
import { makeSyntheticSong } from "../packages/engine/support/synthetic-song.ts";
import { drawSpectrogram, findFullScaleDb } from "./spectrogram.ts";

/** Draws docs/pictures/stems.svg: spectrograms of a computed song and its stems. `npm run plot:stems` */
const PICTURE_PATH = join(import.meta.dirname, "../docs/pictures/stems.svg");
const SAMPLE_RATE_HZ = 44_100;
const SECONDS = 7;
const STEMS = ["drums", "bass", "other", "vocals"];
const PANEL = { width: 640, height: 96, left: 70, gap: 6 };

const folder = mkdtempSync(join(tmpdir(), "stemwright-plot-"));
const engine = new EngineProcess();
try {
  const song = makeSyntheticSong({ sampleRateHz: SAMPLE_RATE_HZ, lengthFrames: SECONDS * SAMPLE_RATE_HZ });
  writeSound(join(folder, "mix.wav"), song, SAMPLE_RATE_HZ);
  await engine.run({
    inputPath: join(folder, "mix.wav"),
    workDir: join(folder, "work"),
    targets: STEMS.map((model) => ({
      kind: "sound",
      key: model,
      model,
      files: [{ output: "stem", format: "wav", path: join(folder, `${model}.wav`) }],
    })),
  });
  writeFileSync(PICTURE_PATH, drawPanels());
} finally {
  await engine.close();
  rmSync(folder, { recursive: true });
}

function drawPanels(): string {
  const { width, height, left, gap } = PANEL;
  const names = ["mix", ...STEMS];
  const sounds = names.map((name) => readSound(join(folder, `${name}.wav`)).planes[0] ?? new Float32Array(0));
  const fullScaleDb = findFullScaleDb(sounds[0] ?? new Float32Array(0));
  const panels = sounds.map((samples, index) => {
    const picture = drawSpectrogram({ samples, sampleRateHz: SAMPLE_RATE_HZ, width, height, fullScaleDb });
    const top = index * (height + gap);
    return [
      `<text x="${left - 8}" y="${top + height / 2 + 4}" text-anchor="end">${names[index]}</text>`,
      `<image x="${left}" y="${top}" width="${width}" height="${height}" href="data:image/png;base64,${picture.toString("base64")}"/>`,
    ].join("\n");
  });
  const size = `0 0 ${left + width} ${names.length * (height + gap)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${size}" font-family="sans-serif" font-size="13">`,
    `<rect width="100%" height="100%" fill="#fff"/>`,
    ...panels,
    "</svg>",
    "",
  ].join("\n");
}
