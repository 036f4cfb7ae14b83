import { join } from "node:path";
import { joinPeaks, measurePeaks } from "../dsp/peaks.ts";
import { BandPowers, joinColumns, toLevelBytes } from "../dsp/transforms/band-powers.ts";
import { type LevelLayout, LevelPages } from "./level-pages.ts";
import type { PreviewShape } from "./preview-shape.ts";

type Drawing = {
  /** Prefix of its file names: `peaks`, `spectra`. */
  kind: string;
  /** Minimum time between two reports of a growing file. */
  intervalMs: number;
  layout(shape: PreviewShape): LevelLayout;
  /** Returns a function that computes the columns of a chunk, level by level. */
  prepare(shape: PreviewShape): (planes: readonly Float32Array[]) => Uint8Array[];
};

/** Lowest and highest sample of each column. */
const PEAKS: Drawing = {
  kind: "peaks",
  intervalMs: 3000,
  layout: ({ chunkFrames, peakLevels, overviewLevels, pageChunks }) => ({
    ...{ chunkFrames, overviewLevels, pageChunks },
    levels: peakLevels,
    columnBytes: 2,
  }),
  prepare: ({ peakLevels: [finest = 1, ...others] }) => {
    const toBytes = (pairs: Int8Array) => new Uint8Array(pairs.buffer);
    return (planes) => {
      const pairs = measurePeaks(planes, finest);
      return [toBytes(pairs), ...others.map((level) => toBytes(joinPeaks(pairs, level / finest)))];
    };
  },
};

/** One byte per band. Larger than peaks and viewed less often, so stored less often too. */
const SPECTRA: Drawing = {
  kind: "spectra",
  intervalMs: 10_000,
  layout: ({ chunkFrames, pageChunks, spectrum: { levels, overviewLevels, bands } }) => ({
    ...{ chunkFrames, pageChunks, levels, overviewLevels },
    columnBytes: bands,
  }),
  prepare: ({ sampleRateHz, spectrum: { levels, bands, floorDb } }) => {
    const [finest = 1, ...others] = levels;
    const analyser = new BandPowers({ sampleRateHz, columnFrames: finest, bands });
    return (planes) => {
      const powers = analyser.measure(planes);
      return [powers, ...others.map((level) => joinColumns(powers, bands, level / finest))].map((each) =>
        toLevelBytes(each, floorDb),
      );
    };
  },
};

/** The drawing data of one track: waveform and spectrogram at several levels. */
export class TrackDrawings {
  readonly #drawings: {
    kind: string;
    intervalMs: number;
    pages: LevelPages;
    makeLevels: (planes: readonly Float32Array[]) => Uint8Array[];
    toldMs: number;
  }[];

  constructor(folder: string, track: string, shape: PreviewShape) {
    this.#drawings = [PEAKS, SPECTRA].map(({ kind, intervalMs, layout, prepare }) => ({
      ...{ kind, intervalMs },
      pages: new LevelPages(join(folder, kind, track), layout(shape)),
      makeLevels: prepare(shape),
      toldMs: Number.NEGATIVE_INFINITY,
    }));
  }

  /** Truncates to this many chunks, or fewer if some are missing; returns how many. */
  rewind(chunks: number): number {
    const kept = Math.min(...this.#drawings.map(({ pages }) => pages.rewind(chunks)));
    for (const { pages } of this.#drawings) pages.rewind(kept);
    return kept;
  }

  append(chunk: number, planes: readonly Float32Array[]): void {
    for (const { pages, makeLevels } of this.#drawings) pages.append(chunk, makeLevels(planes));
  }

  /** Copies of a chunk's files that are due, with their names; all of them if `isDue`. */
  copyDue(
    chunk: number,
    { isDue, toPath }: { isDue: boolean; toPath: (name: string) => string },
  ): { name: string; path: string }[] {
    const now = performance.now();
    return this.#drawings
      .filter(({ toldMs, intervalMs }) => isDue || now - toldMs > intervalMs)
      .flatMap((drawing) => {
        drawing.toldMs = now;
        const { kind, pages } = drawing;
        return pages
          .copy(chunk, (name) => toPath(`${kind}/${name}`))
          .map(({ name, path }) => ({ name: `${kind}/${name}`, path }));
      });
  }
}
