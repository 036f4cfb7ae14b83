import { release } from "../release.ts";
import type { FrameSource } from "./frame-source.ts";

/** A source whose first frame is at `startFrame` of the whole. */
export type LateSource = { source: FrameSource; startFrame: number };

/** The mean of a source and others that start later and end with it; each is faded in over `fadeFrames`. */
export class MeanSource implements FrameSource {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #whole: FrameSource;
  readonly #others: readonly LateSource[];
  readonly #fadeFrames: number;

  constructor(whole: FrameSource, options: { others: readonly LateSource[]; fadeFrames: number }) {
    this.channels = whole.channels;
    this.sampleRateHz = whole.sampleRateHz;
    this.lengthFrames = whole.lengthFrames;
    this.#whole = whole;
    this.#others = options.others;
    this.#fadeFrames = options.fadeFrames;
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const sum = this.#whole.read(startFrame, lengthFrames);
    const weights = new Float64Array(lengthFrames).fill(1);
    for (const other of this.#others) {
      const planes = other.source.read(startFrame - other.startFrame, lengthFrames);
      for (let n = 0; n < lengthFrames; n++) {
        const weight = Math.min(1, Math.max(0, (startFrame + n - other.startFrame) / this.#fadeFrames));
        weights[n]! += weight;
        for (let channel = 0; channel < this.channels; channel++) {
          sum[channel]![n]! += weight * planes[channel]![n]!;
        }
      }
      release(planes);
    }
    for (const plane of sum) for (let n = 0; n < lengthFrames; n++) plane[n]! /= weights[n]!;
    return sum;
  }
}
