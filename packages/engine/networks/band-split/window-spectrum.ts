import { type Spectrogram, Stft } from "../../dsp/stft.ts";

/** Of the trained networks for stereo: see weights/dialogue-music-effects/README.md, "How to run it". */
export const STEREO_TRANSFORM = { fftSize: 2048, hopFrames: 1024 };

type Transform = { fftSize: number; hopFrames: number };
type Planes = { re: Float32Array; im: Float32Array };

/** The transform of one channel of one window, and back. Slot t is centred on sample t · hop; outside the window is silence. */
export class WindowSpectrum {
  readonly slotCount: number;
  readonly binCount: number;
  readonly #windowFrames: number;
  /** Of silence before and behind the window: half a slot. */
  readonly #marginFrames: number;
  readonly #stft: Stft;

  constructor(windowFrames: number, { fftSize, hopFrames }: Transform) {
    if (windowFrames % hopFrames !== 0)
      throw new RangeError(`a window has whole hops of ${hopFrames} frames`);
    this.#windowFrames = windowFrames;
    this.#marginFrames = fftSize / 2;
    this.#stft = new Stft({ fftSize, hopFrames, scaling: "none" });
    this.slotCount = windowFrames / hopFrames + 1;
    this.binCount = fftSize / 2 + 1;
  }

  get paddedFrames(): number {
    return this.#windowFrames + 2 * this.#marginFrames;
  }

  /** As the transform takes it. */
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
