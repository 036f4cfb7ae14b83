import type { FrameSource } from "../dsp/sources/frame-source.ts";

/** Common to all previews of an input. */
export type PreviewShape = {
  sampleRateHz: number;
  /** As in the input, but at most two. */
  channels: number;
  lengthFrames: number;
  /** Frames per chunk, except the last. */
  chunkFrames: number;
  /** Frames per pair of peaks, from the finest level to the coarsest, which has one pair per chunk. */
  peakLevels: number[];
  /** The number of coarsest levels that are in a track's overview; the others are in pages of this many chunks. */
  overviewLevels: number;
  pageChunks: number;
  spectrum: SpectrumShape;
};

/** The spectrograms; their bands divide the mel scale from 0 to half the sample rate evenly. */
export type SpectrumShape = {
  /** Frames per column, from the finest to the coarsest level. */
  levels: number[];
  overviewLevels: number;
  bands: number;
  /** The level of byte 0; byte 255 is a full-scale sine. */
  floorDb: number;
};

const MAX_CHANNELS = 2;
/** A chunk lasts two to four seconds, less than a network's segment, so the first one is available after the first segment. */
const MAX_CHUNK_SECONDS = 3.5;
const PEAK_LEVELS = [256, 2048, 16_384];
const OVERVIEW_LEVELS = 2;
const PAGE_CHUNKS = 32;
/** Columns per chunk at each level: 46 ms, 0.4 s and 3 s at 44.1 kHz. */
const SPECTRUM_COLUMNS = [64, 8, 1];
const SPECTRUM_BANDS = 64;
const SPECTRUM_FLOOR_DB = -120;

export function toPreviewShape(input: FrameSource): PreviewShape {
  const { sampleRateHz, lengthFrames } = input;
  // A power of two, so that columns of all levels end at chunk boundaries.
  const chunkFrames = 2 ** Math.max(12, Math.floor(Math.log2(MAX_CHUNK_SECONDS * sampleRateHz)));
  return {
    sampleRateHz,
    channels: Math.min(MAX_CHANNELS, input.channels),
    lengthFrames,
    chunkFrames,
    peakLevels: [...PEAK_LEVELS.filter((level) => level < chunkFrames), chunkFrames],
    overviewLevels: OVERVIEW_LEVELS,
    pageChunks: PAGE_CHUNKS,
    spectrum: {
      levels: SPECTRUM_COLUMNS.map((columns) => chunkFrames / columns),
      overviewLevels: 1,
      bands: SPECTRUM_BANDS,
      floorDb: SPECTRUM_FLOOR_DB,
    },
  };
}

export const countChunks = ({ lengthFrames, chunkFrames }: PreviewShape) =>
  Math.ceil(lengthFrames / chunkFrames);
