import { kaiserFilterLength, makeKaiserWindow } from "../transforms/kaiser-window.ts";
import { PolyphaseConvolver } from "./polyphase-convolver.ts";

/** Share of the lower rate's band that passes flat: 20.07 kHz of 22.05 kHz at 44.1 kHz. */
const PASSBAND_SHARE = 0.91;
/** Attenuation from the lower rate's Nyquist frequency on, for audio that is returned: below 24 bits. */
const STOPBAND_DB = 126;
/** The same for audio that only a network processes: half the work. */
export const NETWORK_STOPBAND_DB = 70;

/**
 * The windowed sinc for converting one rate to another, sampled at every position an output frame can have between two input frames. Output frame n
 * is at input position n * step / phases.
 */
export type PolyphaseKernel = {
  /** Output rate over input rate is phases / step, reduced. */
  phases: number;
  step: number;
  /** Taps per phase; tap j of an output frame at floor position p applies to input frame p + j − reach. */
  taps: number;
  reach: number;
  /** Has the coefficients. Their f32 rounding is at −144 dB, below the stopband. */
  convolver: PolyphaseConvolver;
};

type KernelOptions = { fromHz: number; toHz: number; stopbandDb?: number };

/** An LRU cache of kernels, up to this many bytes. */
export class KernelShelf {
  readonly #mostBytes: number;
  /** In order of last use. */
  readonly #kept = new Map<string, PolyphaseKernel>();

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  get({ fromHz, toHz, stopbandDb = STOPBAND_DB }: KernelOptions): PolyphaseKernel {
    const key = `${fromHz} ${toHz} ${stopbandDb}`;
    const kernel = this.#kept.get(key) ?? makePolyphaseKernel({ fromHz, toHz, stopbandDb });
    this.#kept.delete(key);
    this.#kept.set(key, kernel);
    for (const oldest of this.#kept.keys()) {
      if (oldest === key || this.#countBytes() <= this.#mostBytes) break;
      this.#kept.delete(oldest);
    }
    return kernel;
  }

  #countBytes(): number {
    return [...this.#kept.values()].reduce(
      (sum, { convolver }) => sum + convolver.coefficients.byteLength,
      0,
    );
  }
}

/** A kernel for nearly coprime rates takes seconds: 7 s and 140 MB from 191,999 to 44,100 Hz. That one and its inverse fit. */
export const kernels = new KernelShelf(300 * 1024 ** 2);

function makePolyphaseKernel(rates: Required<KernelOptions>): PolyphaseKernel {
  const { stopbandDb } = rates;
  const divisor = greatestCommonDivisor(rates.fromHz, rates.toHz);
  const phases = rates.toHz / divisor;
  const step = rates.fromHz / divisor;
  // In cycles per input frame, so the same formula serves both directions.
  const stopEdge = Math.min(rates.fromHz, rates.toHz) / 2 / rates.fromHz;
  const passEdge = stopEdge * PASSBAND_SHARE;
  const cutoff = (passEdge + stopEdge) / 2;
  const halfLength = kaiserFilterLength(stopbandDb, stopEdge - passEdge) / 2;
  const reach = Math.ceil(halfLength) - 1;
  const taps = 2 * (reach + 1);
  const window = makeKaiserWindow(stopbandDb);
  const convolver = new PolyphaseConvolver({ phases, step, taps });
  const { coefficients, rowLength } = convolver;
  const row = new Float64Array(taps);
  for (let phase = 0; phase < phases; phase++) {
    let sum = 0;
    for (let tap = 0; tap < taps; tap++) {
      const distance = phase / phases + reach - tap;
      row[tap] = sinc(2 * cutoff * distance) * window(distance / halfLength);
      sum += row[tap]!;
    }
    // Normalised so that each phase passes a constant unchanged; otherwise the phases would differ at the stopband's level.
    for (let tap = 0; tap < taps; tap++) coefficients[phase * rowLength + tap] = row[tap]! / sum;
  }
  return { phases, step, taps, reach, convolver };
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x);
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
