import type { FrameSource } from "../../dsp/frame-source.ts";
import { makeHannWindow } from "../../dsp/hann-window.ts";
import { RealFft } from "../../dsp/real-fft.ts";

const FFT_SIZE = 2048;
export const HOP_FRAMES = 1024;
export const BIN_COUNT = FFT_SIZE / 2 + 1;

/** Squared magnitudes of a mono recording: slot t is centred on sample 1024·t, with silence around the recording. */
export class PowerSpectrum {
  readonly #fft = new RealFft(FFT_SIZE);
  readonly #window = makeHannWindow(FFT_SIZE);
  readonly #grain = new Float64Array(FFT_SIZE);
  readonly #re = new Float64Array(BIN_COUNT);
  readonly #im = new Float64Array(BIN_COUNT);

  read(
    recording: FrameSource,
    { firstSlot, slotCount }: { firstSlot: number; slotCount: number },
  ): Float32Array {
    const startFrame = firstSlot * HOP_FRAMES - FFT_SIZE / 2;
    const [signal = new Float32Array()] = recording.read(startFrame, (slotCount - 1) * HOP_FRAMES + FFT_SIZE);
    const power = new Float32Array(slotCount * BIN_COUNT);
    for (let slot = 0; slot < slotCount; slot++) {
      const start = slot * HOP_FRAMES;
      for (let n = 0; n < FFT_SIZE; n++) this.#grain[n] = signal[start + n]! * this.#window[n]!;
      this.#fft.forward(this.#grain, this.#re, this.#im);
      const at = slot * BIN_COUNT;
      for (let bin = 0; bin < BIN_COUNT; bin++) power[at + bin] = this.#re[bin]! ** 2 + this.#im[bin]! ** 2;
    }
    return power;
  }
}
