import type { FrameSource } from "../../dsp/sources/frame-source.ts";
import { PcmFileSource } from "../../files/pcm-file-source.ts";

/** Audio of which only a range is available, in a file; reading outside it throws instead of returning silence. */
export class RangeSource implements FrameSource, Disposable {
  readonly channels: number;
  readonly sampleRateHz: number;
  readonly lengthFrames: number;
  readonly #fromFrame: number;
  readonly #toFrame: number;
  readonly #file: PcmFileSource;

  constructor(
    path: string,
    shape: {
      channels: number;
      sampleRateHz: number;
      lengthFrames: number;
      fromFrame: number;
      toFrame: number;
    },
  ) {
    const { fromFrame, toFrame } = shape;
    this.channels = shape.channels;
    this.sampleRateHz = shape.sampleRateHz;
    this.lengthFrames = shape.lengthFrames;
    this.#fromFrame = fromFrame;
    this.#toFrame = toFrame;
    this.#file = new PcmFileSource(path, { ...shape, lengthFrames: toFrame - fromFrame });
  }

  read(startFrame: number, lengthFrames: number): Float32Array[] {
    const from = Math.max(0, startFrame);
    const to = Math.min(this.lengthFrames, startFrame + lengthFrames);
    if (to > from && (from < this.#fromFrame || to > this.#toFrame))
      throw new RangeError(`frames ${from} to ${to} are outside ${this.#fromFrame} to ${this.#toFrame}`);
    return this.#file.read(startFrame - this.#fromFrame, lengthFrames);
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}
