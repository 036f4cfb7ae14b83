import { copyFileSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type pg from "pg";
import { toPreviewShape } from "../../packages/engine/previews/preview-shape.ts";
import { PreviewTrackWriter } from "../../packages/engine/previews/preview-track-writer.ts";
import { makeSyntheticSong } from "../../packages/engine/support/synthetic-song.ts";
import { makeId } from "../../packages/server/domain/ids.ts";
import { toPreviewKey } from "../../packages/server/domain/previews/preview-record.ts";

const RATE = 44_100;
const CHUNK_FRAMES = 131_072;
const PAGE_CHUNKS = 32;
const MADE_CHUNKS = 4;
const VERSION = "v1";
const STEMS = ["bass", "drums", "piano", "vocals", "guitar", "other"];
/** Crossover frequencies between the bands that the stems consist of. */
const CUTOFFS_HZ = [110, 280, 700, 1800, 4500];
const BANDS = CUTOFFS_HZ.length + 1;
/** The bands of each model, which contain one another as the models do. */
const BANDS_OF: Record<string, readonly number[]> = {
  bass: [0],
  drums: [1],
  piano: [2],
  vocals: [3],
  guitar: [4],
  other: [2, 4, 5],
  "other-x-guitar": [2, 5],
  instrumental: [0, 1, 2, 4, 5],
  dialogue: [3],
  music: [0, 1],
  effects: [2, 4, 5],
  music_fx: [0, 1, 2, 4, 5],
  music_removal: [2, 3, 4, 5],
  speech_denoise: [3],
};
const LINE_SECONDS = 4;
const LANE_MODELS = ["music_detection", "multi_voice", "transcription"];
const SAID = ["Seven", "ships", "sailed", "across", "the", "northern", "sea"];

export type MixerTask = { id: string; durationSeconds: number };

type Store = { pool: pg.Pool; blobsDir: string; clientId: string };

/**
 * A completed Task with six stems or others, as a worker would have stored it. Its previews are made by the engine's own writer from a computed song of four chunks,
 * which is repeated: `pages` of 32 chunks, 95 s each.
 */
export async function addMixerTask(
  store: Store,
  { pages, assetId, models = STEMS }: { pages: number; assetId?: string; models?: readonly string[] },
): Promise<MixerTask> {
  const { pool, clientId } = store;
  const id = makeId();
  const targets = models.map((model) => ({ model, id: makeId() }));
  const tracks = ["input", ...targets.map((target) => target.id)];
  const shape = toShape(pages * PAGE_CHUNKS);
  writePreviews(id, tracks, { blobsDir: store.blobsDir, pages, models });
  const task = { id, durationSeconds: shape.lengthFrames / RATE };
  await pool.query(
    `insert into tasks (id, client_id, asset_id, url, created_at, completed_at)
     values ($1, $2, $3, $4, now() - interval '1 hour', now())`,
    [id, clientId, assetId ?? null, assetId === undefined ? "https://media.example/song.wav" : null],
  );
  for (const [position, target] of targets.entries())
    await addTarget(pool, task, { ...target, position, format: "wav" });
  const chunks = Object.fromEntries(tracks.map((track) => [track, pages * PAGE_CHUNKS]));
  await pool.query(
    "insert into task_previews (task_id, client_id, version, shape, chunks, size_bytes) values ($1, $2, $3, $4, $5, 1)",
    [id, clientId, VERSION, JSON.stringify(shape), JSON.stringify(chunks)],
  );
  return task;
}

async function addTarget(
  pool: pg.Pool,
  task: MixerTask,
  target: { id: string; model: string; position: number; format: string },
): Promise<void> {
  await pool.query(
    `insert into targets (id, task_id, position, model, formats, options, credits_per_minute, status, progress, cost, duration_seconds, finished_at)
     values ($1, $2, $3, $4, $5, '{}', 1, 'completed', 1, 1, $6, now())`,
    [target.id, task.id, target.position, target.model, [target.format], task.durationSeconds],
  );
}

/** Music regions, two voices and words over the whole length of the Task. */
export async function addMixerLanes({ pool, blobsDir, clientId }: Store, task: MixerTask): Promise<void> {
  for (const [index, model] of LANE_MODELS.entries()) {
    const id = makeId();
    await addTarget(pool, task, { id, model, position: STEMS.length + index, format: "json" });
    const text = JSON.stringify(describe(model, task.durationSeconds));
    const name = model === "multi_voice" ? "voice" : model;
    const key = `outputs/${task.id}/${id}/${name}.json`;
    mkdirSync(dirname(join(blobsDir, key)), { recursive: true });
    writeFileSync(join(blobsDir, key), text);
    await pool.query(
      `insert into outputs (target_id, position, name, format, blob_key, size_bytes, client_id)
       values ($1, 0, $2, 'json', $3, $4, $5)`,
      [id, name, key, text.length, clientId],
    );
  }
}

const toShape = (chunks: number) =>
  toPreviewShape({ sampleRateHz: RATE, channels: 2, lengthFrames: chunks * CHUNK_FRAMES, read: () => [] });

function writePreviews(
  taskId: string,
  tracks: readonly string[],
  { blobsDir, pages, models }: { blobsDir: string; pages: number; models: readonly string[] },
): void {
  const song = makeMixerSong();
  const bands = splitBands(song);
  const sounds = models.map((model) => sumBands((BANDS_OF[model] ?? []).map((band) => bands[band] ?? [])));
  const work = mkdtempSync(join(tmpdir(), "stemwright-mixer-"));
  mkdirSync(join(work, "out"));
  const toPath = (name: string) => {
    const path = join(blobsDir, toPreviewKey(taskId, { version: VERSION }, name));
    mkdirSync(dirname(path), { recursive: true });
    return path;
  };
  try {
    for (const [index, sound] of [song, ...sounds].entries()) {
      const track = tracks[index] ?? "";
      writeTrack({ track, sound, work, toPath });
      for (let chunk = MADE_CHUNKS; chunk < pages * PAGE_CHUNKS; chunk++)
        linkSync(toPath(`${track}/chunks/${chunk % MADE_CHUNKS}`), toPath(`${track}/chunks/${chunk}`));
      for (const kind of ["peaks", "spectra"]) {
        const repeat = (name: string, times: number) =>
          Buffer.concat(
            Array.from({ length: times }, () => readFileSync(toPath(`${track}/${kind}/${name}`))),
          );
        const page = repeat("0", PAGE_CHUNKS / MADE_CHUNKS);
        for (let n = 0; n < pages; n++) writeFileSync(toPath(`${track}/${kind}/${n}`), page);
        const overview = repeat("overview", (pages * PAGE_CHUNKS) / MADE_CHUNKS);
        writeFileSync(toPath(`${track}/${kind}/overview`), overview);
      }
    }
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** The song that each Task repeats. */
export const makeMixerSong = () =>
  makeSyntheticSong({ sampleRateHz: RATE, lengthFrames: MADE_CHUNKS * CHUNK_FRAMES });

const sumBands = (bands: readonly (readonly Float32Array[])[]): Float32Array[] =>
  [0, 1].map((channel) => {
    const sum = new Float32Array(MADE_CHUNKS * CHUNK_FRAMES);
    for (const band of bands)
      for (let n = 0; n < sum.length; n++) setSample(sum, n, (sum[n] ?? 0) + (band[channel]?.[n] ?? 0));
    return sum;
  });

/** Bands from the lowest to the highest: together they are the song. */
function splitBands(song: readonly Float32Array[]): Float32Array[][] {
  const bands = Array.from({ length: BANDS }, () => song.map((plane) => new Float32Array(plane.length)));
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

/** The chunks of one track, made by the engine's own writer. */
function writeTrack(given: {
  track: string;
  sound: readonly Float32Array[];
  work: string;
  toPath: (name: string) => string;
}): void {
  const { track, sound, work, toPath } = given;
  const writer = new PreviewTrackWriter({
    ...{ track, shape: toShape(MADE_CHUNKS), folder: work, storedChunks: 0 },
    report: ({ files }) => {
      for (const { name, path } of files) {
        copyFileSync(path, toPath(name));
        rmSync(path);
      }
    },
  });
  for (let chunk = 0; chunk < MADE_CHUNKS; chunk++)
    writer.write(sound.map((plane) => plane.subarray(chunk * CHUNK_FRAMES, (chunk + 1) * CHUNK_FRAMES)));
}

/** The results of targets without audio. */
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
    const speaker = `speaker_0${1 + (n % 2)}`;
    return { start, end: start + 3.1, text: words.map(({ text }) => text).join(""), speaker, words };
  });
  const text = lines.map((line) => line.text).join("");
  return { text, lines, metadata: { language: "en", languageConfidence: 0.98, model: "computed" } };
}
