import type { FrameSource } from "../../dsp/frame-source.ts";

/** What all previews of an input have in common. */
export type PreviewShape = {
  sampleRateHz: number;
  /** The input's, but no more than two. */
  channels: number;
  lengthFrames: number;
  /** Each chunk but the last has so many. */
  chunkFrames: number;
  /** Frames for each pair of peaks, from the finest to the coarsest, which has a pair for each chunk. */
  peakLevels: number[];
  /** So many of the coarsest levels are in the overview of a track, the others in pages of so many chunks. */
  overviewLevels: number;
  pageChunks: number;
  spectrum: SpectrumShape;
};

/** The spectrograms; their bands share the mel scale from 0 to half of the rate evenly. */
export type SpectrumShape = {
  /** Frames for each column, from the finest to the coarsest level. */
  levels: number[];
  overviewLevels: number;
  bands: number;
  /** What a byte of 0 stands for; one of 255 is a sine at full scale. */
  floorDb: number;
};

const CHANNELS_MAX = 2;
/** A chunk lasts two to four seconds: shorter than what a segment of a network adds, so that the first one is there with the first segment. */
const CHUNK_SECONDS_MAX = 3.5;
const PEAK_LEVELS = [256, 2048, 16_384];
const OVERVIEW_LEVELS = 2;
const PAGE_CHUNKS = 32;
/** Columns of a chunk at each level: 46 ms, 0.4 s and 3 s at 44.1 kHz. */
const SPECTRUM_COLUMNS = [64, 8, 1];
const SPECTRUM_BANDS = 64;
const SPECTRUM_FLOOR_DB = -120;

export function toPreviewShape(input: FrameSource): PreviewShape {
  const { sampleRateHz, lengthFrames } = input;
  // A power of two, so that the stretches of all levels end where chunks do.
  const chunkFrames = 2 ** Math.max(12, Math.floor(Math.log2(CHUNK_SECONDS_MAX * sampleRateHz)));
  return {
    sampleRateHz,
    channels: Math.min(CHANNELS_MAX, input.channels),
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
