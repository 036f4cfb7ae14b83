import { type Spectrogram, Stft } from "../../dsp/transforms/stft.ts";

/** Fixed by the training of the stereo networks: see weights/dialogue-music-effects/README.md, "How to run it". */
export const STEREO_TRANSFORM = { fftSize: 2048, hopFrames: 1024 };

type Transform = { fftSize: number; hopFrames: number };
type Planes = { re: Float32Array; im: Float32Array };

/** STFT and inverse for one channel of one window. Slot t is centred on sample t · hop; the window is padded with silence. */
export class WindowSpectrum {
  readonly slotCount: number;
  readonly binCount: number;
  readonly #windowFrames: number;
  /** Silence before and after the window: half an FFT frame. */
  readonly #marginFrames: number;
  readonly #stft: Stft;

  constructor(windowFrames: number, { fftSize, hopFrames }: Transform) {
    if (windowFrames % hopFrames !== 0)
      throw new RangeError(`the window is not a multiple of the hop, ${hopFrames} frames`);
    this.#windowFrames = windowFrames;
    this.#marginFrames = fftSize / 2;
    this.#stft = new Stft({ fftSize, hopFrames, scaling: "none" });
    this.slotCount = windowFrames / hopFrames + 1;
    this.binCount = fftSize / 2 + 1;
  }

  get paddedFrames(): number {
    return this.#windowFrames + 2 * this.#marginFrames;
  }

  /** Pads a window for the transform. */
  pad(window: Float32Array): Float32Array {
    const padded = new Float32Array(this.paddedFrames);
    padded.set(window, this.#marginFrames);
    return padded;
  }

  analyse(window: Float32Array, planes: Planes): void {
    this.#stft.forward(this.pad(window), this.#spectrogram(planes));
  }

  synthesise(planes: Planes): Float32Array {
    const start = this.#marginFrames;
    return this.#stft.inverse(this.#spectrogram(planes)).slice(start, start + this.#windowFrames);
  }

  #spectrogram(planes: Planes): Spectrogram {
    const { binCount, slotCount } = this;
    return { ...planes, binCount, slotCount, binStride: 1, slotStride: binCount };
  }
}
