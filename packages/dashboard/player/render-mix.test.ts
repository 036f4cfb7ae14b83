import { describe, expect, it } from "vitest";
import { makeWavHeader } from "./render-mix.ts";

const read = (header: ArrayBuffer) => Buffer.from(header);

describe("the header of a saved mix", () => {
  it("[EX3] is that of a float wav file", () => {
    const header = read(makeWavHeader(1000, 44_100));
    expect(header.toString("latin1", 0, 16)).toBe(`RIFF${"\x64\x1f\0\0"}WAVEfmt `);
    expect([header.readUInt16LE(20), header.readUInt16LE(22), header.readUInt32LE(24)]).toEqual([
      3, 2, 44_100,
    ]);
    expect([header.length, header.readUInt32LE(40)]).toEqual([44, 8000]);
  });

  it("[EX3] is RF64 beyond 4 GiB", () => {
    const frames = 6 * 3600 * 48_000;
    const header = read(makeWavHeader(frames, 48_000));
    expect(header.toString("latin1", 0, 4)).toBe("RF64");
    expect(header.toString("latin1", 8, 16)).toBe("WAVEds64");
    expect(header.readUInt32LE(16)).toBe(28);
    expect([20, 28, 36].map((at) => Number(header.readBigUInt64LE(at)))).toEqual([
      header.length - 8 + 8 * frames,
      8 * frames,
      frames,
    ]);
    expect(header.toString("latin1", 48, 52)).toBe("fmt ");
    expect(header.toString("latin1", 72, 76)).toBe("data");
    expect(header.readUInt32LE(76)).toBe(0xffff_ffff);
  });
});
