import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toMusicRegions } from "./music-regions.ts";

const STEP_SECONDS = 0.1;
const find = (probabilities: number[]) =>
  toMusicRegions(Float32Array.from(probabilities), {
    stepSeconds: STEP_SECONDS,
    durationSeconds: probabilities.length * STEP_SECONDS,
  });
const repeat = (probability: number, count: number) => Array.from({ length: count }, () => probability);

describe("music regions", () => {
  it("[H1] a region lasts from entry to exit, with the mean probability as its confidence", () => {
    const [region, ...others] = find([...repeat(0.02, 50), ...repeat(0.9, 60), ...repeat(0.02, 50)]);
    expect(others).toEqual([]);
    expect(region?.startSeconds).toBeCloseTo(4.95);
    expect(region?.endSeconds).toBeCloseTo(10.95);
    expect(region?.confidence).toBeCloseTo(0.9);
  });

  it("[H1] a single outlier neither starts nor ends a region", () => {
    expect(find([...repeat(0.05, 50), 0.9, ...repeat(0.05, 50)])).toEqual([]);
    expect(find([...repeat(0.95, 50), 0.1, ...repeat(0.95, 50)])).toHaveLength(1);
  });

  it("[H1] all-music recordings are one region, recordings without music have none", () => {
    expect(find(repeat(0.99, 40))).toMatchObject([{ startSeconds: 0, endSeconds: 4 }]);
    expect(find(repeat(0.01, 40))).toEqual([]);
    expect(find([])).toEqual([]);
  });

  it("[H1] music until the end ends where the file ends, whatever is left behind the last step", () => {
    const steps = Float32Array.from([...repeat(0.01, 40), ...repeat(0.99, 40)]);
    for (const durationSeconds of [7.96, 8, 8.049]) {
      const regions = toMusicRegions(steps, { stepSeconds: STEP_SECONDS, durationSeconds });
      expect(regions).toMatchObject([{ endSeconds: durationSeconds }]);
    }
  });

  it("[H1] regions are sorted, disjoint and inside the recording, whatever the probabilities", () => {
    const probability = fc.float({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(probability, { maxLength: 300 }), (probabilities) => {
        let end = -1;
        for (const region of find(probabilities)) {
          expect(region.startSeconds).toBeGreaterThan(end);
          expect(region.endSeconds).toBeGreaterThan(region.startSeconds);
          expect(region.confidence).toBeGreaterThanOrEqual(0);
          expect(region.confidence).toBeLessThanOrEqual(1);
          end = region.endSeconds;
        }
        expect(end).toBeLessThanOrEqual(probabilities.length * STEP_SECONDS + 1e-9);
      }),
    );
  });
});
