import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { EncodeFile } from "./audio-format.ts";
import { decodeSignal, encodeSignal } from "./support/encode-and-decode.ts";
import { makeNoise } from "./support/signals.ts";
import { makeTemporaryFolder } from "./support/temporary-folder.ts";

const RATES_HZ = [8000, 44100, 48000, 96000, 192000];
const CHANNELS = [1, 2, 6, 8];
const inFolder = makeTemporaryFolder();

/** Each length is combined with each rate and each channel count; the full product would take minutes and show nothing more. */
const cases = RATES_HZ.flatMap((sampleRateHz, row) =>
  CHANNELS.map((channels, column) => {
    const lengths = [441, 1, sampleRateHz * 3];
    return { sampleRateHz, channels, lengthFrames: lengths[(row + column) % lengths.length] ?? 1 };
  }),
);

describe("wav, flac and aiff preserve every sample", () => {
  it.each(cases)("$sampleRateHz Hz, $channels channels, $lengthFrames frames", async (format) => {
    const signal = makeNoise(format);
    const name = `${format.sampleRateHz}-${format.channels}`;
    const files: EncodeFile[] = [
      { path: inFolder(`${name}.wav`), format: "wav" },
      { path: inFolder(`${name}.flac`), format: "flac" },
      { path: inFolder(`${name}.aiff`), format: "aiff" },
    ];
    await encodeSignal(signal, { files });
    const decoded = await Promise.all(files.map(({ path }) => decodeSignal(path)));
    for (const back of decoded) {
      const { sampleRateHz, channels, lengthFrames } = back;
      expect({ sampleRateHz, channels, lengthFrames }).toEqual(format);
      expect(Buffer.compare(Buffer.from(back.samples.buffer), Buffer.from(signal.samples.buffer))).toBe(0);
    }
  });
});

describe("wav", () => {
  it("keeps floats beyond full scale", async () => {
    const path = inFolder("hot.wav");
    const samples = Float32Array.of(1.5, -3, 1e-20, 0.1);
    await encodeSignal({ sampleRateHz: 44100, channels: 2, samples }, { files: [{ path, format: "wav" }] });
    expect([...(await decodeSignal(path)).samples]).toEqual([...samples]);
  });

  it.each([16, 24] as const)("holds %i bits exactly and clips beyond full scale", async (wavBitDepth) => {
    const path = inFolder(`${wavBitDepth}.wav`);
    const signal = makeNoise({ sampleRateHz: 44100, channels: 2, lengthFrames: 500, bits: wavBitDepth });
    signal.samples.set([2, -2]);
    await encodeSignal(signal, { files: [{ path, format: "wav", wavBitDepth }] });
    const { samples, codec } = await decodeSignal(path);
    expect(codec).toBe(`pcm_s${wavBitDepth}le`);
    expect([...samples.subarray(0, 2)]).toEqual([1 - 2 ** (1 - wavBitDepth), -1]);
    expect(samples.subarray(2)).toEqual(signal.samples.subarray(2));
  });

  it("names the speakers of more than two channels", async () => {
    const path = inFolder("surround.wav");
    const signal = makeNoise({ sampleRateHz: 48000, channels: 6, lengthFrames: 100 });
    await encodeSignal(signal, { files: [{ path, format: "wav" }], channelLayout: "5.1(side)" });
    const bytes = await readFile(path);
    const formatChunk = bytes.indexOf("fmt ");
    const waveFormatExtensible = 0xfffe;
    const sideSurroundMask = 0x60f;
    expect(bytes.readUInt16LE(formatChunk + 8)).toBe(waveFormatExtensible);
    expect(bytes.readUInt32LE(formatChunk + 8 + 20)).toBe(sideSurroundMask);
    expect((await decodeSignal(path)).channelLayout).toBe("5.1(side)");
  });
});

describe("flac", () => {
  it.each(["5.1", "5.1(side)", "hexagonal"])("keeps the layout %s", async (channelLayout) => {
    const path = inFolder("layout.flac");
    const signal = makeNoise({ sampleRateHz: 48000, channels: 6, lengthFrames: 100 });
    await encodeSignal(signal, { files: [{ path, format: "flac" }], channelLayout });
    expect((await decodeSignal(path)).channelLayout).toBe(channelLayout);
  });
});
