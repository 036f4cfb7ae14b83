import { padByReflection } from "../../dsp/reflect-pad.ts";
import { type Spectrogram, Stft } from "../../dsp/stft.ts";

/** Of the trained network: demucs' `_spec` and `_ispec` with nfft 4096, hop_length 1024. */
const FFT_SIZE = 4096;
const HOP_FRAMES = 1024;
/** `hop_length // 2 * 3`: with it, slot s is centred on the middle of hop s. */
const EDGE_FRAMES = (HOP_FRAMES / 2) * 3;
/** The Nyquist bin is dropped, so that the count is a power of two. */
export const BIN_COUNT = FFT_SIZE / 2;

/** The transform of one channel of one segment, and back. */
export class SegmentSpectrum {
  readonly slotCount: number;
  readonly #segmentFrames: number;
  readonly #stft = new Stft({ fftSize: FFT_SIZE, hopFrames: HOP_FRAMES, scaling: "orthonormal" });

  constructor(segmentFrames: number) {
    this.#segmentFrames = segmentFrames;
    this.slotCount = Math.ceil(segmentFrames / HOP_FRAMES);
  }

  analyse(segment: Float32Array, planes: { re: Float32Array; im: Float32Array }): void {
    const right = EDGE_FRAMES + this.slotCount * HOP_FRAMES - this.#segmentFrames;
    this.#stft.forward(padByReflection(segment, { left: EDGE_FRAMES, right }), this.#spectrogram(planes));
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
