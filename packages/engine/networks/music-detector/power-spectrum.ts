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

  read(
    recording: FrameSource,
    { firstSlot, slotCount }: { firstSlot: number; slotCount: number },
  ): Float32Array {
    const startFrame = firstSlot * HOP_FRAMES - FFT_SIZE / 2;
    const [signal = new Float32Array()] = recording.read(startFrame, (slotCount - 1) * HOP_FRAMES + FFT_SIZE);
    const power = new Float32Array(slotCount * BIN_COUNT);
    const { signal: grain, spectrum } = this.#fft;
    for (let slot = 0; slot < slotCount; slot++) {
      const start = slot * HOP_FRAMES;
      for (let n = 0; n < FFT_SIZE; n++) grain[n] = signal[start + n]! * this.#window[n]!;
      this.#fft.forward();
      const at = slot * BIN_COUNT;
      power[at] = spectrum[0]! ** 2;
      power[at + BIN_COUNT - 1] = spectrum[1]! ** 2;
      for (let bin = 1; bin < BIN_COUNT - 1; bin++) {
        power[at + bin] = spectrum[2 * bin]! ** 2 + spectrum[2 * bin + 1]! ** 2;
      }
    }
    return power;
  }
}
