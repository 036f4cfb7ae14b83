import { padByReflection } from "../../dsp/transforms/reflect-pad.ts";
import { type Spectrogram, Stft } from "../../dsp/transforms/stft.ts";
import type { GraphTransform } from "../fourier-graph.ts";
import type { DemucsConfig } from "./demucs-config.ts";

/** Fixed by training: Demucs' `_spec` and `_ispec`. */
export function toTransform({ fftSize }: Pick<DemucsConfig, "fftSize">): GraphTransform {
  // Without the Nyquist bin, so that the count is a power of two.
  return { fftSize, hopFrames: fftSize / 4, scaling: "orthonormal", binCount: fftSize / 2 };
}

/** STFT and inverse for one channel of one segment. */
export class SegmentSpectrum {
  readonly slotCount: number;
  readonly binCount: number;
  /** `hop_length // 2 * 3`: centres slot s on the middle of hop s. */
  readonly edgeFrames: number;
  readonly #segmentFrames: number;
  readonly #stft: Stft;
  readonly #isShifted: boolean;

  constructor({ fftSize, isShifted }: Pick<DemucsConfig, "fftSize" | "isShifted">, segmentFrames: number) {
    const { hopFrames, binCount } = toTransform({ fftSize });
    this.#segmentFrames = segmentFrames;
    this.#isShifted = isShifted;
    this.#stft = new Stft(toTransform({ fftSize }));
    this.slotCount = Math.ceil(segmentFrames / hopFrames);
    this.binCount = binCount;
    this.edgeFrames = Math.floor(hopFrames / 2) * 3;
  }

  get paddedFrames(): number {
    return this.#stft.lengthFramesOf(this.slotCount);
  }

  /** Where the segment starts in what the inverse gives. */
  get cutFrames(): number {
    return this.#isShifted ? 0 : this.edgeFrames;
  }

  /** Pads a segment for the transform: mirrored at both ends, to whole hops. */
  pad(segment: Float32Array): Float32Array {
    const left = this.edgeFrames;
    const right = this.paddedFrames - left - this.#segmentFrames;
    if (this.#isShifted) {
      const padded = new Float32Array(this.paddedFrames);
      padded.set(segment, left);
      return padded;
    }
    // What is too short to be mirrored gets silence first, behind it as far as it is padded there.
    const missing = Math.max(0, Math.max(left, right) + 1 - segment.length);
    const behind = Math.min(right, missing);
    const before = missing - behind;
    const extended = new Float32Array(before + segment.length + behind);
    extended.set(segment, before);
    return padByReflection(extended, { left: left - before, right: right - behind });
  }

  analyse(segment: Float32Array, planes: { re: Float32Array; im: Float32Array }): void {
    this.#stft.forward(this.pad(segment), this.#spectrogram(planes));
  }

  synthesise(planes: { re: Float32Array; im: Float32Array }): Float32Array {
    const padded = this.#stft.inverse(this.#spectrogram(planes));
    return padded.slice(this.cutFrames, this.cutFrames + this.#segmentFrames);
  }

  #spectrogram(planes: { re: Float32Array; im: Float32Array }): Spectrogram {
    const { slotCount, binCount } = this;
    return { ...planes, binCount, slotCount, binStride: slotCount, slotStride: 1 };
  }
}
