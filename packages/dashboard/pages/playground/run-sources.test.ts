import { ApiError } from "@stemwright/sdk";
import { describe, expect, it } from "vitest";
import { forEachSource } from "./run-sources.ts";

const refusal = (status: number) => new ApiError("is no audio", { status, details: [] } as never);
const [good, bad, last] = ["good.wav", "bad.wav", "last.wav"].map((name) => ({ name, assetId: name }));
const sources = [good, bad, last].filter((source) => source !== undefined);

describe("[PG6] a batch", () => {
  it("runs without the files that can't be read, and names them", async () => {
    const run = async ({ name }: { name: string }) => {
      if (name === "bad.wav") throw refusal(400);
      return name;
    };
    expect(await forEachSource(sources, run)).toEqual({
      values: ["good.wav", "last.wav"],
      done: [good, last],
      failed: [{ name: "bad.wav", reason: "is no audio." }],
    });
  });

  it("stops where every file would fail", async () => {
    await expect(
      forEachSource(sources, async () => {
        throw refusal(402);
      }),
    ).rejects.toThrow("is no audio");
  });

  it("of one file fails with that file", async () => {
    await expect(
      forEachSource(sources.slice(0, 1), async () => {
        throw refusal(400);
      }),
    ).rejects.toThrow("is no audio");
  });
});
