import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { setImmediate as letOthers } from "node:timers/promises";
import { interleave } from "../dsp/interleave.ts";

const BLOCK_BYTES = 4 * 1024 * 1024;

/**
 * A stem on disk, written as it is finished: raw interleaved floats in the input's channel order. Its length is the checkpoint: after a kill, the spool
 * is kept up to the last whole segment.
 */
export class StemSpool implements Disposable {
  readonly #file: number;
  readonly #frameBytes: number;
  #lengthFrames: number;

  constructor(path: string, channels: number) {
    this.#file = openSync(path, "a");
    this.#frameBytes = channels * Float32Array.BYTES_PER_ELEMENT;
    this.#lengthFrames = Math.floor(fstatSync(this.#file).size / this.#frameBytes);
  }

  get lengthFrames(): number {
    return this.#lengthFrames;
  }

  truncate(lengthFrames: number): void {
    ftruncateSync(this.#file, lengthFrames * this.#frameBytes);
    this.#lengthFrames = lengthFrames;
  }

  /** Synced when it returns, so that a power cut can't leave a longer file with missing data. */
  append(planes: Float32Array[]): void {
    this.#write(new Uint8Array(interleave(planes).buffer));
    fdatasyncSync(this.#file);
    this.#lengthFrames += planes[0]?.length ?? 0;
  }

  /** Appends frames of another spool file, synced when it resolves; yields to the event loop between blocks. */
  async appendFile(
    path: string,
    { startFrame, lengthFrames }: { startFrame: number; lengthFrames: number },
  ): Promise<void> {
    const file = openSync(path, "r");
    try {
      const block = new Uint8Array(BLOCK_BYTES);
      const end = (startFrame + lengthFrames) * this.#frameBytes;
      for (let position = startFrame * this.#frameBytes; position < end; ) {
        const size = readSync(file, block, 0, Math.min(block.length, end - position), position);
        if (size === 0) throw new Error("a span's file is shorter than the span");
        this.#write(block.subarray(0, size));
        position += size;
        await letOthers();
      }
    } finally {
      closeSync(file);
    }
    fdatasyncSync(this.#file);
    this.#lengthFrames += lengthFrames;
  }

  #write(bytes: Uint8Array): void {
    let done = 0;
    while (done < bytes.length) done += writeSync(this.#file, bytes, done);
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
