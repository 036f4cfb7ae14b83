import { describe, expect, it } from "vitest";
import { makePalette } from "./draw-spectrogram.ts";

describe("[PV11] the colours of a spectrogram", () => {
  const palette = makePalette([10, 120, 200], [240, 240, 240], -120);
  const at = (byte: number) => [...palette.slice(4 * byte, 4 * byte + 4)];

  it("are transparent for silence and the text's colour for full scale", () => {
    expect(at(0)[3]).toBe(0);
    expect(at(255)).toEqual([240, 240, 240, 255]);
  });

  it("become more opaque with level, starting with the track's colour", () => {
    const alphas = Array.from({ length: 256 }, (_, byte) => at(byte)[3] ?? 0);
    expect(alphas).toEqual(alphas.toSorted((a, b) => a - b));
    expect(at(100).slice(0, 3)).toEqual([10, 120, 200]);
  });
});
