import { makeHannWindow } from "../../dsp/transforms/hann-window.ts";
import { makeMelFilters } from "../../dsp/transforms/mel-filters.ts";
import { padByReflection } from "../../dsp/transforms/reflect-pad.ts";
import { SmoothFft } from "../../dsp/transforms/smooth-fft.ts";

/** As the networks were trained: `whisper/audio.py`. */
export const SPEECH_RATE_HZ = 16000;
const FFT_SIZE = 400;
const HOP_FRAMES = 160;
const MEL_COUNT = 80;
export const WINDOW_SECONDS = 30;
export const SPEECH_WINDOW_FRAMES = WINDOW_SECONDS * SPEECH_RATE_HZ;
const SLOT_COUNT = SPEECH_WINDOW_FRAMES / HOP_FRAMES;
export const MEL_SHAPE = [MEL_COUNT, SLOT_COUNT] as const;

const FLOOR_LOG10 = -10;
const RANGE_LOG10 = 8;

/** The encoder's input: log power in 80 mel bands every 10 ms, for one window of 30 s. */
export class LogMel {
  readonly #fft = new SmoothFft(FFT_SIZE);
  readonly #window = makeHannWindow(FFT_SIZE);
  readonly #filters = makeMelFilters({
    melCount: MEL_COUNT,
    fftSize: FFT_SIZE,
    sampleRateHz: SPEECH_RATE_HZ,
  });
  readonly #re = new Float64Array(FFT_SIZE);
  readonly #im = new Float64Array(FFT_SIZE);
  readonly #powers = [new Float64Array(FFT_SIZE / 2 + 1), new Float64Array(FFT_SIZE / 2 + 1)] as const;

  /** Fills `bands` (`MEL_SHAPE`) from at most 30 s at 16 kHz, padded with silence. */
  compute(samples: Float32Array, bands: Float32Array): void {
    if (samples.length > SPEECH_WINDOW_FRAMES) throw new RangeError("a window has at most 30 s");
    const window = new Float32Array(SPEECH_WINDOW_FRAMES);
    window.set(samples);
    const signal = padByReflection(window, { left: FFT_SIZE / 2, right: FFT_SIZE / 2 });
    bands.fill(FLOOR_LOG10);
    const heardSlots = Math.min(SLOT_COUNT, Math.ceil((samples.length + FFT_SIZE) / HOP_FRAMES));
    let highest = FLOOR_LOG10;
    for (let slot = 0; slot < heardSlots; slot += 2) {
      this.#transformPair(signal, slot * HOP_FRAMES);
      for (let side = 0; side < 2; side++) {
        highest = Math.max(highest, this.#collect(this.#powers[side]!, slot + side, bands));
      }
    }
    const floor = highest - RANGE_LOG10;
    for (let n = 0; n < bands.length; n++) bands[n] = (Math.max(bands[n]!, floor) + 4) / 4;
  }

  /** Transforms two frames at once, as real and imaginary part; symmetry separates their spectra. */
  #transformPair(signal: Float32Array, start: number): void {
    const re = this.#re;
    const im = this.#im;
    for (let n = 0; n < FFT_SIZE; n++) {
      re[n] = signal[start + n]! * this.#window[n]!;
      im[n] = signal[start + HOP_FRAMES + n]! * this.#window[n]!;
    }
    this.#fft.transform(re, im);
    const [first, second] = this.#powers;
    for (let bin = 0; bin <= FFT_SIZE / 2; bin++) {
      const mirror = bin === 0 ? 0 : FFT_SIZE - bin;
      const evenRe = re[bin]! + re[mirror]!;
      const oddIm = im[bin]! - im[mirror]!;
      const evenIm = im[bin]! + im[mirror]!;
      const oddRe = re[bin]! - re[mirror]!;
      first[bin] = (evenRe * evenRe + oddIm * oddIm) / 4;
      second[bin] = (evenIm * evenIm + oddRe * oddRe) / 4;
    }
  }

  /** Writes one frame's bands and returns the highest. */
  #collect(powers: Float64Array, slot: number, bands: Float32Array): number {
    let highest = FLOOR_LOG10;
    this.#filters.forEach(({ firstBin, weights }, band) => {
      let sum = 0;
      for (let n = 0; n < weights.length; n++) sum += powers[firstBin + n]! * weights[n]!;
      const level = Math.log10(Math.max(sum, 10 ** FLOOR_LOG10));
      bands[band * SLOT_COUNT + slot] = level;
      if (level > highest) highest = level;
    });
    return highest;
  }
}
