import { describe, expect, it } from "vitest";
import { BandPowers, joinColumns, toLevelBytes } from "./band-powers.ts";

const RATE = 44_100;
const analyser = new BandPowers({ sampleRateHz: RATE, columnFrames: 2048, bands: 64 });
const makeSine = (hz: number, lengthFrames: number, amplitude = 1) =>
  Float32Array.from(
    { length: lengthFrames },
    (_, n) => amplitude * Math.sin((2 * Math.PI * hz * n) / RATE + 0.3),
  );
const sum = (powers: Float32Array) => powers.reduce((total, power) => total + power, 0);

describe("band powers", () => {
  it.each([60, 440, 5000, 15_000])(
    "[PV10] a sine at full scale of %i Hz has power 1, within neighbouring bands",
    (hz) => {
      const column = analyser.measure([makeSine(hz, 3 * 2048)]).slice(64, 128);
      expect(sum(column)).toBeCloseTo(1, 1);
      const loudest = column.indexOf(Math.max(...column));
      expect(sum(column.slice(Math.max(0, loudest - 1), loudest + 2))).toBeGreaterThan(0.95);
    },
  );

  it("[PV10] higher tones are in higher bands, and levels follow the loudness", () => {
    const loudestOf = (hz: number) => {
      const column = analyser.measure([makeSine(hz, 4096)]).slice(0, 64);
      return column.indexOf(Math.max(...column));
    };
    const order = [100, 300, 1000, 3000, 10_000].map(loudestOf);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(new Set(order).size).toBe(5);
    const quiet = analyser.measure([makeSine(440, 4096, 0.1)]);
    expect(10 * Math.log10(sum(quiet.slice(0, 64)))).toBeCloseTo(-20, 0);
  });

  it("[PV10] a steady tone shows no edges where a chunk begins or ends", () => {
    const powers = analyser.measure([makeSine(1000, 131_072)]);
    const bytes = toLevelBytes(powers, -120);
    for (const column of [0, 1, 31, 62, 63])
      for (let band = 0; band < 64; band++)
        expect(Math.abs((bytes[column * 64 + band] ?? 0) - (bytes[10 * 64 + band] ?? 0))).toBeLessThan(12);
  });

  it("[PV10] channels that cancel each other out still show", () => {
    const left = makeSine(1000, 4096);
    expect(sum(analyser.measure([left, left.map((value) => -value)]).slice(0, 64))).toBeGreaterThan(0.9);
  });

  it("[PV10] columns are averaged, the last one over those that remain", () => {
    expect([...joinColumns(Float32Array.of(1, 10, 3, 30, 5, 50), 2, 2)]).toEqual([2, 20, 5, 50]);
    expect([...toLevelBytes(Float32Array.of(1, 9.5e-7, 0, 4), -120)]).toEqual([255, 127, 0, 255]);
  });
});
