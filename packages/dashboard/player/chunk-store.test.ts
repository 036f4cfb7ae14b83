import type { PreviewQuery } from "@stemwright/sdk";
import { describe, expect, it } from "vitest";
import { encodeFlac } from "../../engine/dsp/flac/encode-flac.ts";
import { ChunkStore } from "./chunk-store.ts";
import { parseFlac } from "./cut-flac.ts";
import type { PlayablePreviews, PreviewSource } from "./preview-source.ts";

const BLOCK_FRAMES = 4096;
const CHUNK_FRAMES = 10 * BLOCK_FRAMES;
const PREVIEWS = {
  version: "v1",
  frames: 10 * CHUNK_FRAMES,
  chunkFrames: CHUNK_FRAMES,
  tracks: [{ id: "input", name: "input", chunks: 10 }],
} as unknown as PlayablePreviews;
const FLAC = encodeFlac([new Float32Array(CHUNK_FRAMES)], {
  ...{ sampleRateHz: 44_100, gain: 1, bitsPerFrameMax: 1e9 },
});

/** Answers when told to, or fails when aborted. */
function makeSource() {
  const asked: { index: number; signal: AbortSignal | undefined; answer: () => void }[] = [];
  const source = {
    chunk: (index: number, _query: PreviewQuery, signal?: AbortSignal) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve([{ gain: 1, flac: FLAC }]);
        asked.push({ index, signal, answer });
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  } as unknown as PreviewSource;
  return { source, asked };
}

const decode = async (flac: ArrayBuffer) =>
  ({ length: parseFlac(new Uint8Array(flac)).lengthFrames }) as unknown as AudioBuffer;
const inChunk = (index: number) => ({ frame: index * CHUNK_FRAMES, lengthFrames: 2 * BLOCK_FRAMES });

describe("[PV9] chunks being loaded", () => {
  it("are aborted when the player seeks, except the one it seeks to", async () => {
    const { source, asked } = makeSource();
    const store = new ChunkStore(source, decode);
    const [left, wanted] = [store.load(PREVIEWS, inChunk(3)), store.load(PREVIEWS, inChunk(4))];
    store.keepLoading(4);
    await expect(left).rejects.toThrow();
    asked[1]?.answer();
    expect((await wanted)?.sounds.has("input")).toBe(true);
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
  });

  it("are requested again when the player returns", async () => {
    const { source, asked } = makeSource();
    const store = new ChunkStore(source, decode);
    const left = store.load(PREVIEWS, inChunk(3));
    store.keepLoading(7);
    const again = store.load(PREVIEWS, inChunk(3));
    await expect(left).rejects.toThrow();
    asked[1]?.answer();
    await again;
    await store.load(PREVIEWS, inChunk(3));
    expect(asked.map(({ index }) => index)).toEqual([3, 3]);
  });

  it("are requested again when there are more tracks", async () => {
    const { source, asked } = makeSource();
    const store = new ChunkStore(source, decode);
    const first = store.load(PREVIEWS, inChunk(0));
    asked[0]?.answer();
    await first;
    const tracks = [...PREVIEWS.tracks, { id: "voice_01", name: "voice_01", chunks: 10 }];
    void store.load({ ...PREVIEWS, tracks }, inChunk(0));
    expect(asked).toHaveLength(2);
  });

  it("stay if they are already loaded", async () => {
    const { source, asked } = makeSource();
    const store = new ChunkStore(source, decode);
    const first = store.load(PREVIEWS, inChunk(0));
    asked[0]?.answer();
    await first;
    store.keepLoading(5);
    await store.load(PREVIEWS, inChunk(0));
    expect(asked).toHaveLength(1);
  });
});

describe("[PV9] a loaded chunk", () => {
  it.each([
    ["from the block of the frame on", { frame: CHUNK_FRAMES + 5000, lengthFrames: 8192 }, [1, 3]],
    ["up to the chunk's end", { frame: 2 * CHUNK_FRAMES - 1, lengthFrames: 8192 }, [9, 10]],
    ["whole", { frame: CHUNK_FRAMES, lengthFrames: CHUNK_FRAMES }, [0, 10]],
  ])("is decoded %s", async (_, place, [from = 0, to = 0]) => {
    const { source, asked } = makeSource();
    const loading = new ChunkStore(source, decode).load(PREVIEWS, place);
    asked[0]?.answer();
    const piece = await loading;
    expect(piece).toMatchObject({
      start: CHUNK_FRAMES + from * BLOCK_FRAMES,
      end: CHUNK_FRAMES + to * BLOCK_FRAMES,
    });
    expect(piece?.sounds.get("input")?.length).toBe((to - from) * BLOCK_FRAMES);
  });
});
