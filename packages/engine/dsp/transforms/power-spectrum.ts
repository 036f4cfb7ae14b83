import type { FrameSource } from "../sources/frame-source.ts";
import { makeHannWindow } from "./hann-window.ts";
import { RealFft } from "./real-fft.ts";

/** Power spectrogram of a mono recording: slot t is centred on frame `hopFrames`·t; the recording is padded with silence. */
export class PowerSpectrum {
  readonly binCount: number;
  readonly #fft: RealFft;
  readonly #window: Float64Array;
  readonly #hopFrames: number;

  constructor({ fftSize, hopFrames }: { fftSize: number; hopFrames: number }) {
    this.binCount = fftSize / 2 + 1;
    this.#fft = new RealFft(fftSize);
    this.#window = makeHannWindow(fftSize);
    this.#hopFrames = hopFrames;
  }

  /** One row of `binCount` values per slot. */
  read(
    recording: FrameSource,
    { firstSlot, slotCount }: { firstSlot: number; slotCount: number },
  ): Float32Array {
    const { size } = this.#fft;
    const startFrame = firstSlot * this.#hopFrames - size / 2;
    const [signal = new Float32Array()] = recording.read(
      startFrame,
      (slotCount - 1) * this.#hopFrames + size,
    );
    const power = new Float32Array(slotCount * this.binCount);
    const { signal: grain, spectrum } = this.#fft;
    for (let slot = 0; slot < slotCount; slot++) {
      const start = slot * this.#hopFrames;
      for (let n = 0; n < size; n++) grain[n] = signal[start + n]! * this.#window[n]!;
      this.#fft.forward();
      const at = slot * this.binCount;
      const last = this.binCount - 1;
      power[at] = spectrum[0]! ** 2;
      power[at + last] = spectrum[1]! ** 2;
      for (let bin = 1; bin < last; bin++) {
        power[at + bin] = spectrum[2 * bin]! ** 2 + spectrum[2 * bin + 1]! ** 2;
      }
    }
    return power;
  }
}
