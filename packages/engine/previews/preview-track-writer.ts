import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { mixToTwoPlanes } from "../dsp/mix-planes.ts";
import { encodeChunk } from "./encode-chunk.ts";
import { countChunks, type PreviewShape } from "./preview-shape.ts";
import { TrackDrawings } from "./track-drawings.ts";

/** A preview file and the name to store it under; the receiver of the report removes it. */
export type PreviewFile = { name: string; path: string };

export type PreviewStep = {
  shape: PreviewShape;
  track: string;
  /** Number of chunks once these files are stored. */
  chunks: number;
  /** Size of the newest chunk. */
  chunkBytes: number;
  files: PreviewFile[];
};

/** Writes the chunks and drawing data of one track as its frames become final. */
export class PreviewTrackWriter {
  readonly #track: string;
  readonly #shape: PreviewShape;
  readonly #outFolder: string;
  readonly #drawings: TrackDrawings;
  readonly #report: (step: PreviewStep) => void;
  /** The first chunk that is not written yet. */
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
    this.#drawings = new TrackDrawings(folder, track, shape);
    this.nextChunk = storedChunks >= countChunks(shape) ? storedChunks : this.#drawings.rewind(storedChunks);
  }

  write(planes: readonly Float32Array[]): void {
    const chunk = this.nextChunk;
    const { sampleRateHz } = this.#shape;
    const mixed = mixToTwoPlanes(planes);
    const name = `chunks/${chunk}`;
    const path = this.#toPath(name);
    const encoded = encodeChunk(mixed, sampleRateHz);
    writeFileSync(path, encoded);
    this.#drawings.append(chunk, mixed);
    this.nextChunk = chunk + 1;
    const due = { isDue: this.#isPageDone, toPath: (file: string) => this.#toPath(file) };
    const files = [{ name, path }, ...this.#drawings.copyDue(chunk, due)];
    this.#report({
      shape: this.#shape,
      track: this.#track,
      chunks: this.nextChunk,
      chunkBytes: encoded.length,
      files: files.map((file) => ({ ...file, name: `${this.#track}/${file.name}` })),
    });
  }

  /** Whether the newest page is complete. */
  get #isPageDone(): boolean {
    return this.nextChunk % this.#shape.pageChunks === 0 || this.nextChunk === countChunks(this.#shape);
  }

  /** A new name for each report of a file: the previous one may still be in transit. */
  #toPath(name: string): string {
    return join(this.#outFolder, `${this.#track}-${this.nextChunk}-${name.replace("/", "-")}`);
  }
}
