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
/** A share stays the same for so long. */
const STEP_FRAMES = 64;
const STEMS = ["vocals", "drums", "bass", "guitar", "piano", "other"];
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
    for (const [index, track] of tracks.entries())
      writePage(page, { track, index, song, work, toPath, tracks: tracks.length });
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

/** The song for the input, and for each stem a share of it that swells and fades at a pace of its own; together they are the song. */
function writePage(
  shape: PreviewShape,
  given: {
    track: string;
    index: number;
    tracks: number;
    song: readonly Float32Array[];
    work: string;
    toPath: (name: string) => string;
  },
): void {
  const { track, index, tracks, song, work, toPath } = given;
  const writer = new PreviewTrack({
    ...{ track, shape, folder: work, storedChunks: 0 },
    report: ({ files }) => {
      for (const { name, path } of files) {
        copyFileSync(path, toPath(name));
        rmSync(path);
      }
    },
  });
  const stems = tracks - 1;
  const shareAt = (frame: number) =>
    index === 0
      ? 1
      : (1 + Math.cos((2 * Math.PI * frame) / (8 * RATE) + (2 * Math.PI * index) / stems)) / stems;
  const made = song[0]?.length ?? 0;
  for (let chunk = 0; chunk < 32; chunk++) {
    const start = (chunk * CHUNK_FRAMES) % made;
    const shares = Float32Array.from({ length: CHUNK_FRAMES / STEP_FRAMES }, (_, n) =>
      shareAt(chunk * CHUNK_FRAMES + n * STEP_FRAMES),
    );
    writer.write(
      song.map((plane) => {
        const part = plane.slice(start, start + CHUNK_FRAMES);
        for (let n = 0; n < part.length; n++)
          part[n] = (part[n] ?? 0) * (shares[Math.floor(n / STEP_FRAMES)] ?? 0);
        return part;
      }),
    );
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
