import { describe, expect, it } from "vitest";
import { ArraySource } from "../dsp/sources/array-source.ts";
import { findUnrecognised } from "./find-unrecognised.ts";

const RATE_HZ = 16_000;

describe("findUnrecognised", () => {
  it("[Z3] finds voice between recognised words, not silence or faint instruments", () => {
    const samples = new Float32Array(20 * RATE_HZ).map((_, n) => 0.01 * Math.sin(n / 4));
    for (const [start, end] of [
      [1, 3],
      [6, 8],
      [12, 14],
    ] as const) {
      for (let n = start * RATE_HZ; n < end * RATE_HZ; n++) samples[n] = 0.3 * Math.sin(n / 9);
    }
    const spoken = [
      { startSeconds: 1, endSeconds: 3 },
      { startSeconds: 12, endSeconds: 13 },
    ];
    const found = findUnrecognised(new ArraySource([samples], RATE_HZ), spoken);
    expect(
      found.map((span) => [span.startSeconds, span.endSeconds].map((at) => Math.round(at * 20) / 20)),
    ).toEqual([
      [6, 8],
      [13, 14],
    ]);
  });
});
