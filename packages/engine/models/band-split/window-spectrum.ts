import { type Spectrogram, Stft } from "../../dsp/stft.ts";

/** Of the trained network: see weights/dialogue-music-effects/README.md, "How to run it". */
const FFT_SIZE = 2048;
const HOP_FRAMES = 1024;
export const BIN_COUNT = FFT_SIZE / 2 + 1;

type Planes = { re: Float32Array; im: Float32Array };

/** The transform of one channel of one window, and back. Slot t is centred on sample 1024·t; outside the window is silence. */
export class WindowSpectrum {
  readonly slotCount: number;
  readonly #windowFrames: number;
  readonly #stft = new Stft({ fftSize: FFT_SIZE, hopFrames: HOP_FRAMES, scaling: "none" });

  constructor(windowFrames: number) {
    if (windowFrames % HOP_FRAMES !== 0)
      throw new RangeError(`a window has whole hops of ${HOP_FRAMES} frames`);
    this.#windowFrames = windowFrames;
    this.slotCount = windowFrames / HOP_FRAMES + 1;
  }

  analyse(window: Float32Array, planes: Planes): void {
    const padded = new Float32Array(this.#windowFrames + FFT_SIZE);
    padded.set(window, HOP_FRAMES);
    this.#stft.forward(padded, this.#spectrogram(planes));
  }

  synthesise(planes: Planes): Float32Array {
    return this.#stft.inverse(this.#spectrogram(planes)).slice(HOP_FRAMES, HOP_FRAMES + this.#windowFrames);
  }

  #spectrogram(planes: Planes): Spectrogram {
    return { ...planes, binCount: BIN_COUNT, slotCount: this.slotCount, binStride: 1, slotStride: BIN_COUNT };
  }
}
