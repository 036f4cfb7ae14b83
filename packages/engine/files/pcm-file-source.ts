import { closeSync, openSync, readSync } from "node:fs";
import { deinterleaveInto } from "../dsp/interleave.ts";
import type { FrameSource } from "../dsp/sources/frame-source.ts";

/** Raw interleaved 32-bit floats on disk, in the machine's byte order (little-endian wherever Node runs). */
export class PcmFileSource implements FrameSource, Disposable {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #file: number;
  /** The last read buffer, reused: over hours, new ones would add up faster than they are garbage-collected. */
  #frames = new Float32Array();

  constructor(path: string, shape: { channels: number; sampleRateHz: number; lengthFrames: number }) {
    this.channels = shape.channels;
    this.sampleRateHz = shape.sampleRateHz;
    this.lengthFrames = shape.lengthFrames;
    this.#file = openSync(path, "r");
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const planes = Array.from({ length: this.channels }, () => new Float32Array(lengthFrames));
    const from = Math.max(0, startFrame);
    const to = Math.min(this.lengthFrames, startFrame + lengthFrames);
    if (to > from) deinterleaveInto(planes, this.#readFrames(from, to - from), from - startFrame);
    return planes;
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #readFrames(startFrame: number, lengthFrames: number): Float32Array {
    const size = lengthFrames * this.channels;
    if (this.#frames.length < size) this.#frames = new Float32Array(size);
    const bytes = new Uint8Array(this.#frames.buffer, 0, size * Float32Array.BYTES_PER_ELEMENT);
    const position = startFrame * this.channels * Float32Array.BYTES_PER_ELEMENT;
    let done = 0;
    while (done < bytes.length) {
      const size = readSync(this.#file, bytes, done, bytes.length - done, position + done);
      if (size === 0) throw new Error("a PCM file is shorter than its description");
      done += size;
    }
    return this.#frames.subarray(0, size);
  }
}
