import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArraySource } from "../sources/array-source.ts";
import { ResampledSource, toSampleRate } from "./resampled-source.ts";

const RATES_HZ = [8000, 16000, 22050, 32000, 48000, 88200, 96000, 192000] as const;
const NETWORK_HZ = 44100;

function makeTone(options: { frequencyHz: number; sampleRateHz: number; lengthFrames: number }): ArraySource {
  const { frequencyHz, sampleRateHz, lengthFrames } = options;
  const step = (2 * Math.PI * frequencyHz) / sampleRateHz;
  return new ArraySource(
    [Float32Array.from({ length: lengthFrames }, (_, n) => Math.sin(step * n))],
    sampleRateHz,
  );
}

/** Level of the residual after subtracting the expected tone, relative to the tone. */
function errorDb(
  plane: Float32Array,
  tone: { frequencyHz: number; sampleRateHz: number; startFrame: number },
): number {
  let wanted = 0;
  let wrong = 0;
  for (let n = 0; n < plane.length; n++) {
    const value = Math.sin((2 * Math.PI * tone.frequencyHz * (tone.startFrame + n)) / tone.sampleRateHz);
    wanted += value * value;
    wrong += (plane[n]! - value) ** 2;
  }
  return 10 * Math.log10(wrong / wanted);
}

const MIDDLE = { startFrame: 3000, lengthFrames: 2000 };

describe("ResampledSource", () => {
  it("returns its length without making a kernel, which takes seconds for odd rates", () => {
    const startMs = performance.now();
    const { lengthFrames } = new ResampledSource(new ArraySource([new Float32Array(191_999)], 191_999), {
      sampleRateHz: NETWORK_HZ,
    });
    expect(lengthFrames).toBe(NETWORK_HZ);
    expect(performance.now() - startMs).toBeLessThan(1000);
  });

  for (const rateHz of RATES_HZ) {
    it(`passes tones up to 0.907 of the band unchanged in level and time, ${rateHz} Hz to and from 44.1 kHz`, () => {
      const band = Math.min(rateHz, NETWORK_HZ) / 2;
      for (const [fromHz, toHz] of [
        [rateHz, NETWORK_HZ],
        [NETWORK_HZ, rateHz],
      ] as const) {
        for (const share of [0.01, 0.3, 0.907]) {
          const frequencyHz = band * share;
          const lengthFrames = Math.ceil((8000 * fromHz) / toHz);
          const tone = makeTone({ frequencyHz, sampleRateHz: fromHz, lengthFrames });
          const resampled = new ResampledSource(tone, { sampleRateHz: toHz });
          const [plane] = resampled.read(MIDDLE.startFrame, MIDDLE.lengthFrames);
          const error = errorDb(plane!, { frequencyHz, sampleRateHz: toHz, startFrame: MIDDLE.startFrame });
          // Gain, delay and images together; 0.001 dB of gain alone would be −79 dB.
          expect(error).toBeLessThan(-110);
        }
      }
    });
  }

  it("attenuates tones beyond the lower rate's band by 120 dB", () => {
    for (const fromHz of [48000, 96000, 192000]) {
      for (const frequencyHz of [22100, 23000, 23900, 0.47 * fromHz]) {
        const tone = makeTone({
          frequencyHz,
          sampleRateHz: fromHz,
          lengthFrames: 8000 * (fromHz / NETWORK_HZ),
        });
        const [plane] = new ResampledSource(tone, { sampleRateHz: NETWORK_HZ }).read(3000, 2000);
        const meanSquare = plane!.reduce((sum, value) => sum + value * value, 0) / plane!.length;
        expect(10 * Math.log10(meanSquare / 0.5)).toBeLessThan(-120);
      }
    }
  });

  it("a round trip through the network's rate restores the length and, within the band, the samples", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RATES_HZ, 11025, 44056),
        fc.integer({ min: 1, max: 9000 }),
        (sampleRateHz, lengthFrames) => {
          const frequencyHz = 0.2 * Math.min(sampleRateHz, NETWORK_HZ);
          const source = makeTone({ frequencyHz, sampleRateHz, lengthFrames });
          const there = new ResampledSource(source, { sampleRateHz: NETWORK_HZ });
          const back = new ResampledSource(there, { sampleRateHz, lengthFrames });
          expect(back.lengthFrames).toBe(lengthFrames);
          // At the network's rate, the whole duration of the input is covered.
          expect(there.lengthFrames / NETWORK_HZ).toBeGreaterThanOrEqual(lengthFrames / sampleRateHz);
          const edge = Math.ceil((300 * sampleRateHz) / Math.min(sampleRateHz, NETWORK_HZ));
          if (lengthFrames <= 2 * edge) return;
          const middle = lengthFrames - 2 * edge;
          const [plane] = back.read(edge, middle);
          expect(errorDb(plane!, { frequencyHz, sampleRateHz, startFrame: edge })).toBeLessThan(-100);
        },
      ),
      { numRuns: 40 },
    );
  });

  it("returns identical samples for any chunking", () => {
    const lengthFrames = 2500;
    const source = new ArraySource(
      [Float32Array.from({ length: lengthFrames }, (_, n) => Math.sin(n * n))],
      48000,
    );
    const resampled = new ResampledSource(source, { sampleRateHz: NETWORK_HZ });
    const whole = resampled.read(-50, resampled.lengthFrames + 100)[0]!;
    fc.assert(
      fc.property(
        fc.integer({ min: -50, max: resampled.lengthFrames + 20 }),
        fc.integer({ min: 0, max: 700 }),
        (start, length) => {
          const [chunk] = resampled.read(start, length);
          const end = Math.min(whole.length, start + 50 + length);
          expect(chunk!.subarray(0, end - start - 50)).toEqual(whole.subarray(start + 50, end));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("keeps a constant signal constant in every phase", () => {
    const source = new ArraySource([new Float32Array(4000).fill(0.5)], 48000);
    const [plane] = new ResampledSource(source, { sampleRateHz: NETWORK_HZ }).read(1000, 500);
    for (const value of plane!) expect(value).toBeCloseTo(0.5, 6);
  });
});

describe("toSampleRate", () => {
  it("returns a source that already has the requested rate", () => {
    const source = new ArraySource([new Float32Array(10)], NETWORK_HZ);
    expect(toSampleRate(source, { sampleRateHz: NETWORK_HZ })).toBe(source);
    expect(toSampleRate(source, { sampleRateHz: 48000 })).not.toBe(source);
  });
});
