import type { Blobs } from "../ports.ts";
import { findBytes } from "./find-bytes.ts";
import { countChunks, type PreviewRecord, type PreviewShape, toPreviewKey } from "./preview-record.ts";

export type PeaksWanted = { track: string; level: number; fromChunk: number; toChunk: number };

const HEADER_BYTES = 24;
const DAT_VERSION = 2;
const EIGHT_BITS = 1;

/** The peaks of some chunks at one level, as a `.dat` file of version 2 of BBC's audiowaveform: 8 bits, one channel. */
export async function loadPeaks(
  blobs: Pick<Blobs, "read">,
  { taskId, record }: { taskId: string; record: PreviewRecord },
  wanted: PeaksWanted,
): Promise<{ dat: Buffer; isWhole: boolean }> {
  const { shape } = record;
  const { track, level } = wanted;
  const index = shape.peakLevels.indexOf(level);
  const split = shape.peakLevels.length - shape.overviewLevels;
  const fromChunk = Math.min(wanted.fromChunk, countChunks(shape));
  const toChunk = Math.min(wanted.toChunk, countChunks(shape));
  const load = (name: string) => findBytes(blobs, toPreviewKey(taskId, record, `${track}/peaks/${name}`));
  const pairs: Buffer[] = [];
  if (index >= split) {
    const levels = shape.peakLevels.slice(split);
    const bytes = (await load("overview")) ?? Buffer.alloc(0);
    pairs.push(...pickLevel(bytes, { shape, levels, level, firstChunk: 0, fromChunk, toChunk }));
  } else {
    const levels = shape.peakLevels.slice(0, split);
    const { pageChunks } = shape;
    const first = Math.floor(fromChunk / pageChunks);
    const pages = Array.from({ length: Math.ceil(toChunk / pageChunks) - first }, (_, n) => first + n);
    const loaded = await Promise.all(pages.map((page) => load(String(page))));
    pages.forEach((page, n) => {
      const firstChunk = page * pageChunks;
      const bytes = loaded[n] ?? Buffer.alloc(0);
      pairs.push(
        ...pickLevel(bytes, {
          ...{ shape, levels, level, firstChunk },
          fromChunk: Math.max(fromChunk, firstChunk),
          toChunk: Math.min(toChunk, firstChunk + pageChunks),
        }),
      );
    });
  }
  return {
    dat: toDat(Buffer.concat(pairs), { sampleRateHz: shape.sampleRateHz, level }),
    isWhole: pairs.length === Math.max(0, toChunk - fromChunk),
  };
}

/** Each chunk of a file has its pairs of one level behind those of another. */
function* pickLevel(
  bytes: Buffer,
  options: {
    shape: PreviewShape;
    levels: number[];
    level: number;
    firstChunk: number;
    fromChunk: number;
    toChunk: number;
  },
): Generator<Buffer> {
  const { shape, levels, level, firstChunk, fromChunk, toChunk } = options;
  const sizeOf = (ofLevel: number, frames: number) => 2 * Math.ceil(frames / ofLevel);
  const recordBytes = levels.reduce((sum, ofLevel) => sum + sizeOf(ofLevel, shape.chunkFrames), 0);
  for (let chunk = fromChunk; chunk < toChunk; chunk++) {
    const frames = Math.min(shape.chunkFrames, shape.lengthFrames - chunk * shape.chunkFrames);
    const before = levels.slice(0, levels.indexOf(level));
    const start =
      (chunk - firstChunk) * recordBytes + before.reduce((sum, ofLevel) => sum + sizeOf(ofLevel, frames), 0);
    const end = start + sizeOf(level, frames);
    // Not written yet: peaks come a little behind the chunks.
    if (end > bytes.length) return;
    yield bytes.subarray(start, end);
  }
}

function toDat(pairs: Buffer, { sampleRateHz, level }: { sampleRateHz: number; level: number }): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeInt32LE(DAT_VERSION, 0);
  header.writeUInt32LE(EIGHT_BITS, 4);
  header.writeInt32LE(sampleRateHz, 8);
  header.writeInt32LE(level, 12);
  header.writeUInt32LE(pairs.length / 2, 16);
  header.writeInt32LE(1, 20);
  return Buffer.concat([header, pairs]);
}
