import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ArraySource } from "../dsp/sources/array-source.ts";
import { packSpeechWindows, readWindow, toSourceSpan } from "./speech-windows.ts";

const RATE = 16000;
const rules = (sourceFrames: number) => ({
  maxFrames: 30 * RATE,
  fullFrames: 24 * RATE,
  marginFrames: 0.4 * RATE,
  sourceFrames,
});

/** Regions from lengths of speech and of the pauses before it, in hundredths of a second. */
const recordings = fc
  .array(fc.tuple(fc.integer({ min: 26, max: 900 }), fc.integer({ min: 25, max: 7000 })), { maxLength: 30 })
  .map((parts) => {
    let at = 0;
    const regions = parts.map(([pause, speech]) => {
      const startFrame = at + pause * 160;
      at = startFrame + speech * 160;
      return { startFrame, endFrame: at };
    });
    return { regions, sourceFrames: at + 1600 };
  });

describe("[V4] speech packed into windows", () => {
  it("each part is in exactly one window, in order, and no window is too long", () => {
    fc.assert(
      fc.property(recordings, ({ regions, sourceFrames }) => {
        const windows = packSpeechWindows(regions, rules(sourceFrames));
        const pieces = windows.flatMap((window) => window.pieces);
        for (const window of windows) {
          expect(window.lengthFrames).toBeLessThanOrEqual(30 * RATE);
          expect(window.pieces.reduce((sum, piece) => sum + piece.lengthFrames, 0)).toBe(window.lengthFrames);
        }
        pieces.slice(1).forEach((piece, n) => {
          const before = pieces[n];
          expect(piece.sourceFrame).toBeGreaterThanOrEqual(
            (before?.sourceFrame ?? 0) + (before?.lengthFrames ?? 0),
          );
        });
        const covered = (frame: number) =>
          pieces.some(
            (piece) => piece.sourceFrame <= frame && frame <= piece.sourceFrame + piece.lengthFrames,
          );
        for (const { startFrame, endFrame } of regions) {
          expect([startFrame, (startFrame + endFrame) / 2, endFrame].every(covered)).toBe(true);
        }
        expect(
          Math.max(0, ...pieces.map((piece) => piece.sourceFrame + piece.lengthFrames)),
        ).toBeLessThanOrEqual(sourceFrames);
      }),
    );
  });

  it("a window ends at the longest pause of its last part", () => {
    const region = (start: number, end: number) => ({ startFrame: start * RATE, endFrame: end * RATE });
    const regions = [region(1, 12), region(14, 26), region(30, 33), region(34, 40)];
    const windows = packSpeechWindows(regions, rules(41 * RATE));
    expect(windows.map(({ pieces }) => pieces.length)).toEqual([2, 2]);
  });

  it("silence inserted into a recording does not change the windows' content", () => {
    const sound = (frame: number) => Math.sin(frame / 7) + frame / 1e6;
    const speech = [4, 9, 3, 8, 6, 7, 2, 9];
    const make = (pauses: number[]) => {
      const samples: number[] = [];
      const regions = speech.map((seconds, n) => {
        for (let k = 0; k < (pauses[n] ?? 2) * RATE; k++) samples.push(0);
        const startFrame = samples.length;
        for (let k = 0; k < seconds * RATE; k++) samples.push(sound(n * 1e6 + k));
        return { startFrame, endFrame: samples.length };
      });
      for (let k = 0; k < RATE; k++) samples.push(0);
      const source = new ArraySource([Float32Array.from(samples)], RATE);
      return packSpeechWindows(regions, rules(samples.length)).map((window) => readWindow(window, source));
    };
    expect(make([2, 2, 2, 22, 2, 32, 2, 2])).toEqual(make([2, 2, 2, 2, 2, 2, 2, 2]));
  });
});

describe("[V4] times of a window", () => {
  const window = {
    pieces: [
      { sourceFrame: 10 * RATE, windowFrame: 0, lengthFrames: 2 * RATE },
      { sourceFrame: 50 * RATE, windowFrame: 2 * RATE, lengthFrames: 3 * RATE },
    ],
    lengthFrames: 5 * RATE,
  };

  it("map to the recording", () => {
    expect(toSourceSpan(window, { startSeconds: 0.5, endSeconds: 1 })).toEqual({
      startSeconds: 10.5,
      endSeconds: 11,
    });
    expect(toSourceSpan(window, { startSeconds: 2.5, endSeconds: 5 })).toEqual({
      startSeconds: 50.5,
      endSeconds: 53,
    });
  });

  it("of a word across a joint map to where most of it is", () => {
    expect(toSourceSpan(window, { startSeconds: 1.5, endSeconds: 2.2 })).toEqual({
      startSeconds: 11.5,
      endSeconds: 12,
    });
    expect(toSourceSpan(window, { startSeconds: 1.9, endSeconds: 2.5 })).toEqual({
      startSeconds: 50,
      endSeconds: 50.5,
    });
  });
});
