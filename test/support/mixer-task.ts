import {
  appendFileSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type pg from "pg";
import { makeSyntheticSong } from "../../packages/engine/pipelines/fixtures/synthetic-song.ts";
import { type PreviewShape, toPreviewShape } from "../../packages/engine/pipelines/previews/preview-shape.ts";
import { PreviewTrack } from "../../packages/engine/pipelines/previews/preview-track.ts";
import { makeId } from "../../packages/server/domain/ids.ts";
import { toPreviewKey } from "../../packages/server/domain/previews/preview-record.ts";

const RATE = 44_100;
const CHUNK_FRAMES = 131_072;
const VERSION = "v1";
const STEMS = ["bass", "drums", "piano", "vocals", "guitar", "other"];
/** Between the stems, from `bass` to `other`. */
const CUTOFFS_HZ = [110, 280, 700, 1800, 4500];
const LINE_SECONDS = 4;
const SAID = ["Seven", "ships", "sailed", "across", "the", "northern", "sea"];

export type MixerTask = { id: string; durationSeconds: number; frames: number };

type Options = {
  pool: pg.Pool;
  blobsDir: string;
  clientId: string;
  /** Of 32 chunks each, 95 s. */
  pages: number;
  assetId?: string;
  /** Chunks of the page that are really made; the others repeat them. */
  madeChunks?: number;
};

/**
 * A completed Task with six stems, music regions, two voices and words, as a worker would have stored it: the previews are made by
 * the engine's own writer from a computed song. The first page is made once, and stands for all of them.
 */
export async function addMixerTask(options: Options): Promise<MixerTask> {
  const { pool, clientId, pages, assetId } = options;
  const id = makeId();
  const models = [...STEMS, "music_detection", "multi_voice", "transcription"];
  const targets = models.map((model) => ({ model, id: makeId() }));
  const tracks = ["input", ...targets.slice(0, STEMS.length).map((target) => target.id)];
  const { shape, sizeBytes } = writePreviews(id, tracks, options);
  const chunks = Object.fromEntries(tracks.map((track) => [track, pages * shape.pageChunks]));
  const durationSeconds = shape.lengthFrames / RATE;
  await pool.query(
    `insert into tasks (id, client_id, asset_id, url, created_at, completed_at)
     values ($1, $2, $3, $4, now() - interval '1 hour', now())`,
    [id, clientId, assetId ?? null, assetId === undefined ? "https://media.example/song.wav" : null],
  );
  for (const [position, { id: targetId, model }] of targets.entries()) {
    await pool.query(
      `insert into targets (id, task_id, position, model, formats, wishes, credits_per_minute, status, progress, cost, duration_seconds, finished_at)
       values ($1, $2, $3, $4, $5, '{}', 1, 'completed', 1, 1, $6, now())`,
      [targetId, id, position, model, [position < STEMS.length ? "wav" : "json"], durationSeconds],
    );
  }
  for (const { id: targetId, model } of targets.slice(STEMS.length)) {
    const text = JSON.stringify(describe(model, durationSeconds));
    const name = model === "multi_voice" ? "voice" : model;
    const key = `outputs/${id}/${targetId}/${name}.json`;
    mkdirSync(dirname(join(options.blobsDir, key)), { recursive: true });
    writeFileSync(join(options.blobsDir, key), text);
    await pool.query(
      `insert into outputs (target_id, position, name, format, blob_key, size_bytes, client_id)
       values ($1, 0, $2, 'json', $3, $4, $5)`,
      [targetId, name, key, text.length, clientId],
    );
  }
  await pool.query(
    "insert into task_previews (task_id, client_id, version, shape, chunks, size_bytes) values ($1, $2, $3, $4, $5, $6)",
    [id, clientId, VERSION, JSON.stringify(shape), JSON.stringify(chunks), sizeBytes],
  );
  return { id, durationSeconds, frames: shape.lengthFrames };
}

function writePreviews(
  taskId: string,
  tracks: readonly string[],
  { blobsDir, pages, madeChunks = 32 }: Options,
) {
  const shapeOf = (chunks: number) =>
    toPreviewShape({ sampleRateHz: RATE, channels: 2, lengthFrames: chunks * CHUNK_FRAMES, read: () => [] });
  const page = shapeOf(32);
  const whole = shapeOf(32 * pages);
  const song = makeSyntheticSong({ sampleRateHz: RATE, lengthFrames: madeChunks * CHUNK_FRAMES });
  const work = mkdtempSync(join(tmpdir(), "stemwright-mixer-"));
  mkdirSync(join(work, "out"));
  const toPath = (name: string) => {
    const path = join(blobsDir, toPreviewKey(taskId, { version: VERSION }, name));
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  try {
    for (const [index, sound] of [song, ...splitBands(song)].entries())
      writePage(page, { track: tracks[index] ?? "", sound, work, toPath });
    let sizeBytes = 0;
    for (const track of tracks) {
      for (let chunk = 0; chunk < 32 * pages; chunk++) {
        const from = toPath(`${track}/chunks/${chunk % 32}`);
        sizeBytes += chunk < 32 ? readFileSync(from).length : 0;
        if (chunk >= 32) linkSync(from, toPath(`${track}/chunks/${chunk}`));
      }
      for (const kind of ["peaks", "spectra"]) {
        const overview = readFileSync(toPath(`${track}/${kind}/overview`));
        for (let copy = 1; copy < pages; copy++) {
          copyFileSync(toPath(`${track}/${kind}/0`), toPath(`${track}/${kind}/${copy}`));
          appendFileSync(toPath(`${track}/${kind}/overview`), overview);
        }
      }
    }
    return { shape: whole, sizeBytes: sizeBytes * pages };
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** The sound between two frequencies for each stem, from the lowest to the highest: together they are the song. */
function splitBands(song: readonly Float32Array[]): Float32Array[][] {
  const bands = Array.from({ length: STEMS.length }, () =>
    song.map((plane) => new Float32Array(plane.length)),
  );
  for (const [channel, plane] of song.entries()) {
    const lows = CUTOFFS_HZ.map(() => 0);
    for (let n = 0; n < plane.length; n++) {
      let below = 0;
      for (const [band, cutoffHz] of CUTOFFS_HZ.entries()) {
        const low =
          (lows[band] ?? 0) + ((2 * Math.PI * cutoffHz) / RATE) * ((plane[n] ?? 0) - (lows[band] ?? 0));
        lows[band] = low;
        setSample(bands[band]?.[channel], n, low - below);
        below = low;
      }
      setSample(bands[CUTOFFS_HZ.length]?.[channel], n, (plane[n] ?? 0) - below);
    }
  }
  return bands;
}

function setSample(plane: Float32Array | undefined, n: number, value: number): void {
  if (plane) plane[n] = value;
}

/** One track of a page, by the engine's own writer. */
function writePage(
  shape: PreviewShape,
  given: {
    track: string;
    sound: readonly Float32Array[];
    work: string;
    toPath: (name: string) => string;
  },
): void {
  const { track, sound, work, toPath } = given;
  const writer = new PreviewTrack({
    ...{ track, shape, folder: work, storedChunks: 0 },
    report: ({ files }) => {
      for (const { name, path } of files) {
        copyFileSync(path, toPath(name));
        rmSync(path);
      }
    },
  });
  for (let chunk = 0; chunk < shape.pageChunks; chunk++) {
    const start = (chunk * CHUNK_FRAMES) % (sound[0]?.length ?? 1);
    writer.write(sound.map((plane) => plane.subarray(start, start + CHUNK_FRAMES)));
  }
}

/** What the targets without sound have found. */
function describe(model: string, durationSeconds: number): unknown {
  const count = Math.floor(durationSeconds / LINE_SECONDS);
  const starts = Array.from({ length: count }, (_, n) => n * LINE_SECONDS + 0.4);
  if (model === "music_detection")
    return starts
      .filter((_, n) => n % 6 === 0)
      .map((start) => ({ start_time: start, end_time: start + 14, confidence: 0.93 }));
  if (model === "multi_voice")
    return {
      voices: [1, 2].map((voice) => ({
        name: `voice_0${voice}`,
        segments: starts
          .filter((_, n) => n % 2 === voice - 1)
          .map((start) => ({ start, end: start + 3.2, confidence: 0.9 })),
      })),
    };
  const lines = starts.map((start, n) => {
    const words = SAID.map((text, word) => ({
      text: `${text}${word === SAID.length - 1 ? ".\n" : " "}`,
      start: start + 0.45 * word,
      end: start + 0.45 * word + 0.4,
      confidence: 0.9,
    }));
    const speaker = `voice_0${1 + (n % 2)}`;
    return { start, end: start + 3.1, text: words.map(({ text }) => text).join(""), speaker, words };
  });
  const text = lines.map((line) => line.text).join("");
  return { text, lines, metadata: { language: "en", languageConfidence: 0.98, model: "computed" } };
}
