import { padByReflection } from "../../dsp/transforms/reflect-pad.ts";
import { type Spectrogram, Stft } from "../../dsp/transforms/stft.ts";

/** Fixed by training: demucs' `_spec` and `_ispec` with nfft 4096, hop_length 1024. */
const FFT_SIZE = 4096;
const HOP_FRAMES = 1024;
/** `hop_length // 2 * 3`: centres slot s on the middle of hop s. */
export const EDGE_FRAMES = (HOP_FRAMES / 2) * 3;
/** Without the Nyquist bin, so that the count is a power of two. */
export const BIN_COUNT = FFT_SIZE / 2;
export const HTDEMUCS_TRANSFORM = {
  fftSize: FFT_SIZE,
  hopFrames: HOP_FRAMES,
  scaling: "orthonormal",
  binCount: BIN_COUNT,
} as const;

/** STFT and inverse for one channel of one segment. */
export class SegmentSpectrum {
  readonly slotCount: number;
  readonly #segmentFrames: number;
  readonly #stft = new Stft(HTDEMUCS_TRANSFORM);

  constructor(segmentFrames: number) {
    this.#segmentFrames = segmentFrames;
    this.slotCount = Math.ceil(segmentFrames / HOP_FRAMES);
  }

  get paddedFrames(): number {
    return this.#stft.lengthFramesOf(this.slotCount);
  }

  /** Pads a segment for the transform: mirrored at both ends, to whole hops. */
  pad(segment: Float32Array): Float32Array {
    const right = this.paddedFrames - EDGE_FRAMES - this.#segmentFrames;
    return padByReflection(segment, { left: EDGE_FRAMES, right });
  }

  analyse(segment: Float32Array, planes: { re: Float32Array; im: Float32Array }): void {
    this.#stft.forward(this.pad(segment), this.#spectrogram(planes));
  }

  synthesise(planes: { re: Float32Array; im: Float32Array }): Float32Array {
    const padded = this.#stft.inverse(this.#spectrogram(planes));
    return padded.slice(EDGE_FRAMES, EDGE_FRAMES + this.#segmentFrames);
  }

  #spectrogram(planes: { re: Float32Array; im: Float32Array }): Spectrogram {
    const { slotCount } = this;
    return { ...planes, binCount: BIN_COUNT, slotCount, binStride: slotCount, slotStride: 1 };
  }
}
