import { mkdir, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { toWav } from "../../../test/support/audio.ts";
import { decodeSignal } from "../media/support/encode-and-decode.ts";
import { makeTemporaryFolder } from "../media/support/temporary-folder.ts";
import { makeStemFile, type StemFileRequest } from "./make-stem-file.ts";
import { getBox, listBoxes, makeBox } from "./mp4-box.ts";

const inFolder = makeTemporaryFolder();
const RATE_HZ = 44_100;
const SECONDS = 1;
/** Size of the fixed part of an audio sample entry. */
const SOUND_ENTRY_BYTES = 28;
/** The decoder descriptor in an `esds` box (ISO/IEC 14496-1): its tag, its 4-byte length, and AAC. */
const AAC_DECODER = Buffer.from("04808080174015", "hex");

/** Tones, identified by their frequencies. */
async function writeTones(name: string, tonesHz: readonly number[], { channels = 2, rateHz = RATE_HZ } = {}) {
  const plane = Float32Array.from({ length: SECONDS * rateHz }, (_, n) =>
    tonesHz.reduce((sum, hz) => sum + 0.2 * Math.sin((2 * Math.PI * hz * n) / rateHz), 0),
  );
  const path = inFolder(name);
  await writeFile(path, toWav({ sampleRateHz: rateHz, channels: Array<Float32Array>(channels).fill(plane) }));
  return path;
}

async function make(request: Omit<StemFileRequest, "workDir" | "maxDurationSeconds">): Promise<Buffer> {
  const workDir = inFolder("work");
  await mkdir(workDir, { recursive: true });
  const parts: Uint8Array[] = [];
  for await (const part of makeStemFile({ ...request, workDir, maxDurationSeconds: 60 })) parts.push(part);
  return Buffer.concat(parts);
}

/** The track description that players read before decoding (ISO/IEC 14496-12). */
function describeSound(track: Buffer) {
  const { content: entry } = getBox(
    getBox(track, "mdia", "minf", "stbl", "stsd").content.subarray(8),
    "mp4a",
  );
  const esds = getBox(entry.subarray(SOUND_ENTRY_BYTES), "esds").content;
  return {
    handler: getBox(track, "mdia", "hdlr").content.toString("latin1", 8, 12),
    isAac: esds.includes(AAC_DECODER),
    channels: entry.readUInt16BE(16),
    sampleRateHz: entry.readUInt16BE(24),
    timescale: getBox(track, "mdia", "mdhd").content.readUInt32BE(12),
    lengthFrames: getBox(track, "tkhd").content.readUInt32BE(20),
  };
}

/** The level of each tone in one track, in tenths: decodes a file with only that track. */
async function measureTrack(file: Buffer, index: number, tonesHz: readonly number[]): Promise<number[]> {
  const moov = getBox(file, "moov").content;
  const track = listBoxes(moov).filter(({ type }) => type === "trak")[index]?.whole ?? Buffer.alloc(0);
  const before = file.subarray(0, file.length - getBox(file, "moov").whole.length);
  const path = inFolder(`track-${index}.m4a`);
  await writeFile(path, Buffer.concat([before, makeBox("moov", getBox(moov, "mvhd").whole, track)]));
  const { samples, channels, sampleRateHz, lengthFrames } = await decodeSignal(path);
  expect([channels, sampleRateHz, lengthFrames]).toEqual([2, RATE_HZ, SECONDS * RATE_HZ]);
  return tonesHz.map((hz) => {
    let product = 0;
    for (let n = 0; n < lengthFrames; n++)
      product += (samples[2 * n] ?? 0) * Math.sin((2 * Math.PI * hz * n) / RATE_HZ);
    return Math.abs(Math.round((20 * product) / lengthFrames));
  });
}

describe("a stem file", () => {
  it("[EX4] has the mix and four stems that add up to it, in the boxes that DJ software reads", async () => {
    const tonesHz = [220, 440, 880];
    const mixPath = await writeTones("mix.wav", tonesHz);
    const stems = [
      { name: "Drums", path: await writeTones("mono.wav", [220], { channels: 1 }) },
      { name: "Vocals", path: await writeTones("other-rate.wav", [440], { rateHz: 48_000 }) },
    ];
    const file = await make({ mixPath, stems });

    expect(listBoxes(file).map(({ type }) => type)).toEqual(["ftyp", ...Array(5).fill("mdat"), "moov"]);
    expect(getBox(file, "ftyp").content.toString("latin1", 0, 4)).toBe("M4A ");
    const moov = getBox(file, "moov").content;
    const tracks = listBoxes(moov).filter(({ type }) => type === "trak");
    const headers = tracks.map(({ content }) => getBox(content, "tkhd").content);
    expect(headers.map((header) => header.readUInt32BE(12))).toEqual([1, 2, 3, 4, 5]);
    // Players without stem support play only the first track.
    expect(headers.map((header) => header.readUIntBE(1, 3) & 1)).toEqual([1, 0, 0, 0, 0]);
    // Tracks of a group are alternatives, of which players choose one; stems are played together.
    expect(headers.map((header) => header.readUInt16BE(34))).toEqual([0, 0, 0, 0, 0]);
    expect(getBox(moov, "mvhd").content.readUInt32BE(getBox(moov, "mvhd").content.length - 4)).toBe(6);
    // Mixxx accepts only five stereo streams of one codec and rate.
    const sounds = tracks.map(({ content }) => describeSound(content));
    expect(sounds).toEqual(Array(5).fill(sounds[0]));
    expect(sounds[0]).toEqual({
      ...{ handler: "soun", isAac: true, channels: 2 },
      ...{ sampleRateHz: RATE_HZ, timescale: RATE_HZ, lengthFrames: SECONDS * RATE_HZ },
    });
    expect(listBoxes(moov).filter(({ type }) => type === "udta")).toHaveLength(1);
    const metadata = JSON.parse(getBox(moov, "udta", "stem").content.toString());
    expect(metadata).toMatchObject({
      version: 1,
      mastering_dsp: { compressor: { enabled: false }, limiter: { enabled: false } },
      stems: ["Drums", "Vocals", "Rest", "Silence"].map((name) => ({
        name,
        color: expect.stringMatching(/^#[0-9A-F]{6}$/),
      })),
    });
    expect(await measureTrack(file, 1, tonesHz)).toEqual([2, 0, 0]);
    expect(await measureTrack(file, 2, tonesHz)).toEqual([0, 2, 0]);
    expect(await measureTrack(file, 3, tonesHz)).toEqual([0, 0, 2]);
  });

  it("[EX4] is refused for more than two channels before a byte is returned", async () => {
    const path = await writeTones("surround.wav", [220], { channels: 6 });
    await expect(make({ stems: [{ name: "Vocals", path }] })).rejects.toThrow("this has 6 channels");
  });
});
