import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mixToTwoPlanes } from "../../dsp/mix-planes.ts";
import { encodeChunk } from "./encode-chunk.ts";
import { PeakPages } from "./peak-pages.ts";
import { countChunks, type PreviewShape } from "./preview-shape.ts";

/** A file of the previews, by the name it is to be stored under; whoever is told of it takes it away. */
export type PreviewFile = { name: string; path: string };

export type PreviewStep = {
  shape: PreviewShape;
  track: string;
  /** So many are there once the files are stored. */
  chunks: number;
  /** What the newest of them takes. */
  chunkBytes: number;
  files: PreviewFile[];
};

/** Peaks are told of again this often while they grow. */
const PEAKS_INTERVAL_MS = 3000;

/** The chunks and peaks of one track, written as its frames are finished. */
export class PreviewTrack {
  readonly #track: string;
  readonly #shape: PreviewShape;
  readonly #outFolder: string;
  readonly #pages: PeakPages;
  readonly #report: (step: PreviewStep) => void;
  #peaksToldMs = Number.NEGATIVE_INFINITY;
  /** The first that is not written yet. */
  nextChunk: number;

  constructor(options: {
    track: string;
    shape: PreviewShape;
    folder: string;
    storedChunks: number;
    report: (step: PreviewStep) => void;
  }) {
    const { track, shape, folder, storedChunks, report } = options;
    this.#track = track;
    this.#shape = shape;
    this.#outFolder = join(folder, "out");
    this.#report = report;
    this.#pages = new PeakPages(join(folder, "peaks", track), shape);
    this.nextChunk = storedChunks >= countChunks(shape) ? storedChunks : this.#pages.rewind(storedChunks);
  }

  write(planes: readonly Float32Array[]): void {
    const chunk = this.nextChunk;
    const { sampleRateHz } = this.#shape;
    const mixed = mixToTwoPlanes(planes);
    const name = `chunks/${chunk}`;
    const path = this.#toPath(name);
    const encoded = encodeChunk(mixed, sampleRateHz);
    writeFileSync(path, encoded);
    this.#pages.append(chunk, mixed);
    this.nextChunk = chunk + 1;
    const files = [{ name, path }, ...(this.#arePeaksDue() ? this.#copyPeaks(chunk) : [])];
    this.#report({
      shape: this.#shape,
      track: this.#track,
      chunks: this.nextChunk,
      chunkBytes: encoded.length,
      files: files.map((file) => ({ ...file, name: `${this.#track}/${file.name}` })),
    });
  }

  #arePeaksDue(): boolean {
    const isPageFull = this.nextChunk % this.#shape.pageChunks === 0;
    const isLast = this.nextChunk === countChunks(this.#shape);
    return isPageFull || isLast || performance.now() - this.#peaksToldMs > PEAKS_INTERVAL_MS;
  }

  #copyPeaks(chunk: number): PreviewFile[] {
    this.#peaksToldMs = performance.now();
    return this.#pages.copy(chunk, (name) => this.#toPath(name));
  }

  /** Another for each time a file is told of: the one before may still be on its way. */
  #toPath(name: string): string {
    return join(this.#outFolder, `${this.#track}-${this.nextChunk}-${name.replace("/", "-")}`);
  }
}
