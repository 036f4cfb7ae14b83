import { appendFileSync, copyFileSync, mkdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { joinPeaks, measurePeaks } from "../../dsp/peaks.ts";
import type { PreviewShape } from "./preview-shape.ts";

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * The peaks of a track: two files that grow chunk by chunk, each chunk with its pairs of one level behind those of another. The overview has the two
 * coarsest levels of the whole track; the others are in pages, so that a growing track never rewrites more than the last of them.
 */
export class PeakPages {
  readonly #folder: string;
  readonly #shape: PreviewShape;
  readonly #split: number;

  constructor(folder: string, shape: PreviewShape) {
    this.#folder = folder;
    this.#shape = shape;
    this.#split = shape.peakLevels.length - shape.overviewLevels;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Goes back to so many chunks, or to fewer where the peaks of some are missing; gives how many. */
  rewind(chunks: number): number {
    const { fine, coarse } = this.#recordBytes;
    const kept = Math.min(chunks, Math.floor(sizeOf(this.#overview) / coarse));
    const { pageChunks } = this.#shape;
    const page = Math.floor(kept / pageChunks);
    const inPage = Math.min(kept % pageChunks, Math.floor(sizeOf(this.#page(page)) / fine));
    const whole = page * pageChunks + inPage;
    resize(this.#overview, whole * coarse);
    resize(this.#page(page), inPage * fine);
    return whole;
  }

  append(chunk: number, planes: readonly Float32Array[]): void {
    const [finest = 1, ...others] = this.#shape.peakLevels;
    const levels = [measurePeaks(planes, finest)];
    for (const level of others) levels.push(joinPeaks(levels[0] ?? new Int8Array(), level / finest));
    const toBytes = (from: number, to?: number) =>
      Buffer.concat(levels.slice(from, to).map((pairs) => new Uint8Array(pairs.buffer)));
    appendFileSync(this.#page(Math.floor(chunk / this.#shape.pageChunks)), toBytes(0, this.#split));
    appendFileSync(this.#overview, toBytes(this.#split));
  }

  /** Copies of the overview and of the page that a chunk is on, with their names. */
  copy(chunk: number, toPath: (name: string) => string): { name: string; path: string }[] {
    const page = Math.floor(chunk / this.#shape.pageChunks);
    const files = [
      { name: `peaks/${page}`, from: this.#page(page) },
      { name: "peaks/overview", from: this.#overview },
    ];
    return files.map(({ name, from }) => {
      const path = toPath(name);
      copyFileSync(from, path);
      return { name, path };
    });
  }

  get #overview(): string {
    return join(this.#folder, "overview");
  }

  #page(page: number): string {
    return join(this.#folder, `page-${page}`);
  }

  /** Of a whole chunk. */
  get #recordBytes(): { fine: number; coarse: number } {
    const { chunkFrames, peakLevels } = this.#shape;
    const sum = (levels: number[]) => levels.reduce((bytes, level) => bytes + (2 * chunkFrames) / level, 0);
    return { fine: sum(peakLevels.slice(0, this.#split)), coarse: sum(peakLevels.slice(this.#split)) };
  }
}

function resize(path: string, sizeBytes: number): void {
  if (sizeOf(path) > sizeBytes) truncateSync(path, sizeBytes);
}
