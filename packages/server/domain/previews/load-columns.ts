import type { Blobs } from "../ports.ts";
import { countChunks, type PreviewRecord, type PreviewShape, toPreviewKey } from "./preview-record.ts";

export type ColumnsWanted = { track: string; level: number; fromChunk: number; toChunk: number };

/** How a track's files store columns of several levels, chunk by chunk. */
export type ColumnFiles = {
  kind: "peaks" | "spectra";
  levels: number[];
  overviewLevels: number;
  columnBytes: number;
};

/** The columns of some chunks at one level, as far as they exist. */
export async function loadColumns(
  blobs: Pick<Blobs, "findBytes">,
  { taskId, record, files }: { taskId: string; record: PreviewRecord; files: ColumnFiles },
  wanted: ColumnsWanted,
): Promise<{ columns: Buffer; isWhole: boolean }> {
  const { shape } = record;
  const { track, level } = wanted;
  const split = files.levels.length - files.overviewLevels;
  const fromChunk = Math.min(wanted.fromChunk, countChunks(shape));
  const toChunk = Math.min(wanted.toChunk, countChunks(shape));
  const load = (name: string) =>
    blobs.findBytes(toPreviewKey(taskId, record, `${track}/${files.kind}/${name}`));
  const columns: Buffer[] = [];
  const { columnBytes } = files;
  if (files.levels.indexOf(level) >= split) {
    const levels = files.levels.slice(split);
    const bytes = (await load("overview")) ?? Buffer.alloc(0);
    const range = { firstChunk: 0, fromChunk, toChunk };
    columns.push(...pickLevel(bytes, { shape, levels, level, columnBytes, ...range }));
  } else {
    const levels = files.levels.slice(0, split);
    const { pageChunks } = shape;
    const first = Math.floor(fromChunk / pageChunks);
    const pages = Array.from({ length: Math.ceil(toChunk / pageChunks) - first }, (_, n) => first + n);
    const loaded = await Promise.all(pages.map((page) => load(String(page))));
    pages.forEach((page, n) => {
      const firstChunk = page * pageChunks;
      const range = {
        firstChunk,
        fromChunk: Math.max(fromChunk, firstChunk),
        toChunk: Math.min(toChunk, firstChunk + pageChunks),
      };
      const bytes = loaded[n] ?? Buffer.alloc(0);
      columns.push(...pickLevel(bytes, { shape, levels, level, columnBytes, ...range }));
    });
  }
  return {
    columns: Buffer.concat(columns),
    isWhole: columns.length === Math.max(0, toChunk - fromChunk),
  };
}

/** Within each chunk of a file, the columns are ordered by level. */
function* pickLevel(
  bytes: Buffer,
  options: {
    shape: PreviewShape;
    levels: number[];
    level: number;
    columnBytes: number;
    firstChunk: number;
    fromChunk: number;
    toChunk: number;
  },
): Generator<Buffer> {
  const { shape, levels, level, columnBytes, firstChunk, fromChunk, toChunk } = options;
  const sizeOf = (ofLevel: number, frames: number) => columnBytes * Math.ceil(frames / ofLevel);
  const recordBytes = levels.reduce((sum, ofLevel) => sum + sizeOf(ofLevel, shape.chunkFrames), 0);
  for (let chunk = fromChunk; chunk < toChunk; chunk++) {
    const frames = Math.min(shape.chunkFrames, shape.lengthFrames - chunk * shape.chunkFrames);
    const before = levels.slice(0, levels.indexOf(level));
    const start =
      (chunk - firstChunk) * recordBytes + before.reduce((sum, ofLevel) => sum + sizeOf(ofLevel, frames), 0);
    const end = start + sizeOf(level, frames);
    // Not written yet: drawing data lags a little behind the chunks.
    if (end > bytes.length) return;
    yield bytes.subarray(start, end);
  }
}
