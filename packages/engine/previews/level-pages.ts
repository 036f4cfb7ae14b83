import { appendFileSync, copyFileSync, mkdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";

/** How a track's files store columns at several zoom levels. */
export type LevelLayout = {
  chunkFrames: number;
  /** Frames per column, from the finest level to the coarsest. */
  levels: number[];
  /** The number of coarsest levels that are in the overview; the others are in pages of this many chunks. */
  overviewLevels: number;
  pageChunks: number;
  columnBytes: number;
};

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * The drawing data of a track: two files that grow chunk by chunk, each chunk with its columns level by level. The overview has the coarsest levels of
 * the whole track; the others are in pages, so that a growing track only rewrites the last page.
 */
export class LevelPages {
  readonly #folder: string;
  readonly #layout: LevelLayout;
  readonly #split: number;

  constructor(folder: string, layout: LevelLayout) {
    this.#folder = folder;
    this.#layout = layout;
    this.#split = layout.levels.length - layout.overviewLevels;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  /** Truncates to this many chunks, or fewer if some are missing; returns how many. */
  rewind(chunks: number): number {
    const { fine, coarse } = this.#recordBytes;
    const kept = Math.min(chunks, Math.floor(sizeOf(this.#overview) / coarse));
    const { pageChunks } = this.#layout;
    const page = Math.floor(kept / pageChunks);
    const inPage = Math.min(kept % pageChunks, Math.floor(sizeOf(this.#page(page)) / fine));
    const whole = page * pageChunks + inPage;
    resize(this.#overview, whole * coarse);
    resize(this.#page(page), inPage * fine);
    return whole;
  }

  /** The columns of a chunk, level by level. */
  append(chunk: number, levels: readonly Uint8Array[]): void {
    const page = Math.floor(chunk / this.#layout.pageChunks);
    appendFileSync(this.#page(page), Buffer.concat(levels.slice(0, this.#split)));
    appendFileSync(this.#overview, Buffer.concat(levels.slice(this.#split)));
  }

  /** Copies of the overview and of the page with this chunk, and their names. */
  copy(chunk: number, toPath: (name: string) => string): { name: string; path: string }[] {
    const page = Math.floor(chunk / this.#layout.pageChunks);
    const files = [
      { name: String(page), from: this.#page(page) },
      { name: "overview", from: this.#overview },
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

  /** Size of a whole chunk. */
  get #recordBytes(): { fine: number; coarse: number } {
    const { chunkFrames, levels, columnBytes } = this.#layout;
    const sum = (some: number[]) =>
      some.reduce((bytes, level) => bytes + (columnBytes * chunkFrames) / level, 0);
    return { fine: sum(levels.slice(0, this.#split)), coarse: sum(levels.slice(this.#split)) };
  }
}

function resize(path: string, sizeBytes: number): void {
  if (sizeOf(path) > sizeBytes) truncateSync(path, sizeBytes);
}
