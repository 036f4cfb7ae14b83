import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, writeSync } from "node:fs";
import { interleave } from "../dsp/interleave.ts";

/**
 * One stem on disk as it is finished, raw interleaved floats in the input's channel order. Its length is the
 * checkpoint: what a killed run left is kept up to the last whole stride.
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

  /** On disk when it returns, so that not even a power cut leaves a longer file with less in it. */
  append(planes: Float32Array[]): void {
    const bytes = new Uint8Array(interleave(planes).buffer);
    let done = 0;
    while (done < bytes.length) done += writeSync(this.#file, bytes, done);
    fdatasyncSync(this.#file);
    this.#lengthFrames += planes[0]?.length ?? 0;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }
}
