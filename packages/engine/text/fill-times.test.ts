import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fillTimes } from "./fill-times.ts";

const seconds = fc.double({ min: 0, max: 40, noNaN: true });
const spans = fc.array(
  fc.option(fc.record({ startSeconds: seconds, endSeconds: seconds }), { nil: undefined }),
  { maxLength: 30 },
);

describe("fillTimes", () => {
  it("[Y1] times everything, in order, without overlap and within the audio", () => {
    fc.assert(
      fc.property(spans, (given) => {
        const filled = fillTimes(given, { durationSeconds: 30 });
        const times = filled.flatMap(({ startSeconds, endSeconds }) => [startSeconds, endSeconds]);
        expect(filled.length).toBe(given.length);
        expect(times).toEqual([...times].sort((a, b) => a - b));
        for (const time of times) expect(time >= 0 && time <= 30).toBe(true);
      }),
    );
  });

  it("[Y1] keeps order to the last bit", () => {
    const recognised = [
      undefined,
      undefined,
      undefined,
      { startSeconds: 4.783966660611277e-45, endSeconds: 0 },
    ];
    const [, , third, fourth] = fillTimes(recognised, { durationSeconds: 30 });
    expect(third?.endSeconds).toBeLessThanOrEqual(fourth?.startSeconds ?? 0);
  });

  it("[Z4] divides the time between two words among the unheard words between them", () => {
    const recognised = [
      { startSeconds: 1, endSeconds: 2 },
      undefined,
      undefined,
      { startSeconds: 3, endSeconds: 4 },
    ];
    expect(fillTimes(recognised, { durationSeconds: 5 })).toEqual([
      { startSeconds: 1, endSeconds: 2 },
      { startSeconds: 2, endSeconds: 2.5 },
      { startSeconds: 2.5, endSeconds: 3 },
      { startSeconds: 3, endSeconds: 4 },
    ]);
  });

  it("[Z4] puts those roughly where they are expected, if that is between their neighbours and in order", () => {
    const recognised = [{ startSeconds: 1, endSeconds: 2 }, undefined, undefined, undefined];
    const estimated = [
      undefined,
      { startSeconds: 7, endSeconds: 8 },
      { startSeconds: 3, endSeconds: 4 },
      undefined,
    ];
    expect(fillTimes(recognised, { durationSeconds: 10, estimated })).toEqual([
      { startSeconds: 1, endSeconds: 2 },
      { startSeconds: 7, endSeconds: 8 },
      { startSeconds: 8, endSeconds: 9 },
      { startSeconds: 9, endSeconds: 10 },
    ]);
  });

  it("[Y1] ends a word where the next one starts", () => {
    const recognised = [
      { startSeconds: 1, endSeconds: 4 },
      { startSeconds: 3, endSeconds: 5 },
    ];
    expect(fillTimes(recognised, { durationSeconds: 10 })[0]).toEqual({ startSeconds: 1, endSeconds: 3 });
  });
});
