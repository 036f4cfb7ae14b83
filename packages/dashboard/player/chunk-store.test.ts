import type { PreviewQuery } from "@stemwright/sdk";
import { describe, expect, it } from "vitest";
import { ChunkStore } from "./chunk-store.ts";
import type { PlayablePreviews, PreviewSource } from "./preview-source.ts";

const PREVIEWS = {
  version: "v1",
  frames: 1000,
  chunkFrames: 100,
  tracks: [{ id: "input", name: "input", chunks: 10 }],
} as unknown as PlayablePreviews;

/** Answers once it is told to, or fails when it is given up. */
function makeSource() {
  const asked: { index: number; signal: AbortSignal | undefined; answer: () => void }[] = [];
  const source = {
    chunk: (index: number, _query: PreviewQuery, signal?: AbortSignal) =>
      new Promise((resolve, reject) => {
        const answer = () => resolve([{ gain: 1, flac: new Uint8Array(1) }]);
        asked.push({ index, signal, answer });
        signal?.addEventListener("abort", () => reject(signal.reason));
      }),
  } as unknown as PreviewSource;
  return { source, asked };
}

const decode = async () => ({ length: 100 }) as unknown as AudioBuffer;

describe("[PV9] chunks that are on their way", () => {
  it("are given up when the player goes elsewhere, except for the one it goes to", async () => {
    const { source, asked } = makeSource();
    const store = new ChunkStore(source, decode);
    const [left, wanted] = [store.load(PREVIEWS, 3), store.load(PREVIEWS, 4)];
    store.keepLoading(4);
    await expect(left).rejects.toThrow();
    asked[1]?.answer();
    expect((await wanted)?.has("input")).toBe(true);
    expect(asked.map(({ signal }) => signal?.aborted)).toEqual([true, false]);
  });

  it("are asked for again where the player comes back", async () => {
    const { source, asked } = makeSource();
    const store = new ChunkStore(source, decode);
    const left = store.load(PREVIEWS, 3);
    store.keepLoading(7);
    const again = store.load(PREVIEWS, 3);
    await expect(left).rejects.toThrow();
    expect(asked.map(({ index }) => index)).toEqual([3, 3]);
    asked[1]?.answer();
    expect(await again).toBe(await store.load(PREVIEWS, 3));
  });

  it("are asked for again where there are more tracks", async () => {
    const { source, asked } = makeSource();
    const store = new ChunkStore(source, decode);
    const first = store.load(PREVIEWS, 0);
    asked[0]?.answer();
    await first;
    const tracks = [...PREVIEWS.tracks, { id: "voice_01", name: "voice_01", chunks: 10 }];
    void store.load({ ...PREVIEWS, tracks }, 0);
    expect(asked).toHaveLength(2);
  });

  it("stay where they are there already", async () => {
    const { source, asked } = makeSource();
    const store = new ChunkStore(source, decode);
    const first = store.load(PREVIEWS, 0);
    asked[0]?.answer();
    await first;
    store.keepLoading(5);
    expect(await store.load(PREVIEWS, 0)).toBe(await first);
    expect(asked).toHaveLength(1);
  });
});
