import { writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { encodeFlac } from "../../engine/dsp/flac/encode-flac.ts";
import { decodeSignal } from "../../engine/media/support/encode-and-decode.ts";
import { makeTemporaryFolder } from "../../engine/media/support/temporary-folder.ts";
import { makeSyntheticSong } from "../../engine/support/synthetic-song.ts";
import { cutFlac, parseFlac } from "./cut-flac.ts";

const inFolder = makeTemporaryFolder();
const BLOCK_FRAMES = 4096;
const SONG = { sampleRateHz: 44_100, lengthFrames: 20 * BLOCK_FRAMES + 1000 };
const FLAC = encodeFlac(makeSyntheticSong(SONG), { ...SONG, gain: 1, bitsPerFrameMax: 1e9 });

async function decodeBytes(name: string, bytes: Uint8Array): Promise<number[]> {
  await writeFile(inFolder(name), bytes);
  return [...(await decodeSignal(inFolder(name))).samples];
}

describe("[PV9] a chunk cut into pieces", () => {
  let whole: number[];
  beforeAll(async () => {
    whole = await decodeBytes("whole.flac", FLAC);
  });

  it("finds all blocks", () => {
    const { blockFrames, lengthFrames, offsets } = parseFlac(FLAC);
    expect([blockFrames, lengthFrames, offsets.length]).toEqual([BLOCK_FRAMES, SONG.lengthFrames, 22]);
  });

  it.each([
    [0, 8],
    [8, 16],
    [16, 21],
  ])("from block %i to %i decodes to the very samples of the whole", async (from, to) => {
    const piece = await decodeBytes(`${from}-${to}.flac`, cutFlac(parseFlac(FLAC), { from, to }));
    expect(piece).toEqual(whole.slice(2 * from * BLOCK_FRAMES, 2 * to * BLOCK_FRAMES));
  });

  it("renumbers blocks whose number takes two bytes", () => {
    const lengthFrames = 140 * BLOCK_FRAMES;
    const silence = [new Float32Array(lengthFrames)];
    const flac = parseFlac(encodeFlac(silence, { sampleRateHz: 384_000, gain: 1, bitsPerFrameMax: 1e9 }));
    const cut = parseFlac(cutFlac(flac, { from: 130, to: 140 }));
    expect([flac.offsets.length, cut.offsets.length, cut.lengthFrames]).toEqual([141, 11, 10 * BLOCK_FRAMES]);
  });
});
