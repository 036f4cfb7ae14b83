import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { subtractPlanes } from "../dsp/sources/difference-source.ts";
import { EngineError } from "../engine-error.ts";
import type { StemManifest } from "../manifests/manifest.ts";
import { readComment } from "../media/support/read-comment.ts";
import { runRequest } from "../request/run-request.ts";
import { GainNetwork, makeGainManifest, makeSplitterManifest } from "../support/gain-network.ts";
import { makeProgressLog } from "../support/progress-log.ts";
import { readSound, writeSound } from "../support/sound-file.ts";
import type { EngineReport, SoundTarget } from "../targets/engine-request.ts";
import { StemCache } from "./stem-cache.ts";

const SEGMENT_FRAMES = 4000;
/** Three segments of 44.1 kHz. */
const LENGTH_FRAMES = 8000;
const SEGMENTS = 3;

const folders: string[] = [];
let folder = "";
let network = new GainNetwork(SEGMENT_FRAMES);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stemwright-second-pass-"));
  folders.push(folder);
  network = new GainNetwork(SEGMENT_FRAMES);
});
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

function writeInput(shape: { channels: number; sampleRateHz: number; lengthFrames: number }): Float32Array[] {
  const planes = Array.from({ length: shape.channels }, (_, channel) =>
    Float32Array.from({ length: shape.lengthFrames }, (_, n) =>
      Math.fround(0.4 * Math.sin((2 * Math.PI * (200 + 130 * channel) * (n + 1)) / shape.sampleRateHz)),
    ),
  );
  writeSound(join(folder, "input.wav"), planes, shape.sampleRateHz);
  return planes;
}

const stereo = { channels: 2, sampleRateHz: 44100, lengthFrames: LENGTH_FRAMES };
const outputPath = (model: string, output = "stem") => join(folder, `${model}-${output}.wav`);
const readStem = (model: string, output = "stem") => readSound(outputPath(model, output));
const spool = (stem: string) => {
  const bytes = readFileSync(join(folder, "work/splitter/plain", `${stem}.f32`));
  return new Float32Array(new Uint8Array(bytes).buffer);
};

function makeTarget(model: string): SoundTarget {
  const files = (["stem", "residual"] as const).map((output) => ({
    output,
    format: "wav" as const,
    path: outputPath(model, output),
  }));
  return { kind: "sound", key: model, model, files };
}

function run(
  models: string[],
  options: { report?: EngineReport; first?: StemManifest; cacheOwner?: string } = {},
): Promise<void> {
  const { report = {}, first = makeGainManifest(SEGMENT_FRAMES), cacheOwner } = options;
  return runRequest(
    {
      inputPath: join(folder, "input.wav"),
      workDir: join(folder, cacheOwner ?? "work"),
      targets: models.map(makeTarget),
    },
    {
      networks: network,
      manifests: [makeSplitterManifest(SEGMENT_FRAMES), first],
      report,
      ...(cacheOwner === undefined
        ? {}
        : {
            stemCache: new StemCache(join(folder, "stems"), 1e9).openFor({
              scope: "client",
              owner: cacheOwner,
            }),
          }),
    },
  );
}

describe("a network that reads a stem of another", () => {
  it("[T8] takes one pass of each, whatever the order of the targets", async () => {
    writeInput(stereo);
    const done: string[] = [];
    const log = makeProgressLog();
    await run(["guitar", "piano", "vocals", "other-x-guitar"], {
      report: { onTargetDone: (key) => void done.push(key), onProgress: log.onProgress },
    });
    expect(network.runs).toEqual([
      ...Array.from({ length: SEGMENTS }, () => ["other", "vocals"]),
      ...Array.from({ length: SEGMENTS }, () => ["guitar", "piano"]),
    ]);
    expect(done.toSorted()).toEqual(["guitar", "other-x-guitar", "piano", "vocals"]);
    for (const key of done) {
      const fractions = log.fractionsOf(key);
      expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
      expect(fractions.at(-1)).toBeCloseTo(1, 9);
    }
  });

  it.each([
    stereo,
    { channels: 1, sampleRateHz: 8000, lengthFrames: 1 },
    { channels: 6, sampleRateHz: 48000, lengthFrames: 5001 },
    { channels: 2, sampleRateHz: 96000, lengthFrames: 20000 },
  ])("[O4] [O5] gives parts of that stem, its difference and residuals exactly: %o", async (shape) => {
    const input = writeInput(shape);
    await run(["other", "guitar", "other-x-guitar", "piano"]);
    for (const model of ["guitar", "other-x-guitar", "piano"]) {
      expect(readStem(model)).toMatchObject(shape);
      expect(readStem(model, "residual")).toMatchObject(shape);
    }
    const [other, guitar, withoutGuitar] = ["other", "guitar", "other-x-guitar"].map(
      (model) => readStem(model).planes,
    ) as [Float32Array[], Float32Array[], Float32Array[]];
    expect(withoutGuitar).toEqual(subtractPlanes(other, guitar));
    expect(readStem("guitar", "residual").planes).toEqual(subtractPlanes(input, guitar));
    expect(readStem("other-x-guitar", "residual").planes).toEqual(subtractPlanes(input, withoutGuitar));
    if (shape.sampleRateHz === 44100) {
      // Half of an eighth of the input.
      const expected = input.map((plane) => plane.map((value) => value / 16));
      for (const plane of subtractPlanes(guitar, expected)) {
        expect(Math.max(...plane.map(Math.abs))).toBeLessThan(1e-7);
      }
    }
  });

  it.each([stereo, { channels: 1, sampleRateHz: 48000, lengthFrames: 5001 }])(
    "gives the sum of two parts exactly, in the same pass: %o",
    async (shape) => {
      writeInput(shape);
      await run(["other", "plucked", "piano", "other-x-plucked", "guitar"]);
      expect(new Set(network.runs.map((stems) => stems.join()))).toEqual(new Set(["other", "guitar,piano"]));
      const [guitar, piano, both] = ["guitar", "piano", "plucked"].map((model) => readStem(model).planes) as [
        Float32Array[],
        Float32Array[],
        Float32Array[],
      ];
      expect(Math.max(...(both[0] ?? []))).toBeGreaterThan(0.01);
      expect(both).toEqual(
        guitar.map((plane, n) => plane.map((value, frame) => value + (piano[n]?.[frame] ?? Number.NaN))),
      );
      expect(readStem("other-x-plucked").planes).toEqual(subtractPlanes(readStem("other").planes, both));
    },
  );

  it("resumes where it was killed, in either pass, and writes the same bytes", async () => {
    writeInput(stereo);
    await run(["guitar", "piano"]);
    const uninterrupted = spool("piano");
    const file = readFileSync(outputPath("guitar"));
    for (const failsAtRun of [1, SEGMENTS + 1]) {
      rmSync(join(folder, "work"), { recursive: true });
      network = new GainNetwork(SEGMENT_FRAMES);
      network.failsAtRun = failsAtRun;
      await expect(run(["guitar", "piano"])).rejects.toThrow("killed");
      network.failsAtRun = Number.POSITIVE_INFINITY;
      await run(["guitar", "piano"]);
      // Each segment once, and the one before the kill again, for its tail.
      expect(network.runs.length).toBe(2 * SEGMENTS + 1);
      expect(spool("piano")).toEqual(uninterrupted);
      expect(readFileSync(outputPath("guitar"))).toEqual(file);
    }
  });

  it("runs alongside the one it reads, not after it, and writes the same bytes", async () => {
    writeInput({ ...stereo, lengthFrames: 5 * LENGTH_FRAMES });
    await run(["guitar"]);
    const file = readFileSync(outputPath("guitar"));
    rmSync(join(folder, "work"), { recursive: true });
    network = new GainNetwork(SEGMENT_FRAMES);
    network.isSlow = true;
    await run(["guitar"]);
    const order = network.runs.map(([stem]) => stem);
    expect(order.indexOf("guitar")).toBeLessThan(order.lastIndexOf("other"));
    expect(readFileSync(outputPath("guitar"))).toEqual(file);
  });

  it("fails with the one it reads, and reports that reason", async () => {
    writeInput({ ...stereo, lengthFrames: 5 * LENGTH_FRAMES });
    network.isSlow = true;
    network.failsAtRun = 6;
    await expect(run(["guitar"])).rejects.toThrow("killed");
    expect(network.runs).toHaveLength(6);
  });

  it.each([
    { failsAtRun: 1, failed: ["guitar", "vocals"], done: [] },
    { failsAtRun: SEGMENTS, failed: ["guitar"], done: ["vocals"] },
  ])("[T15] fails with the one it reads, or alone: run $failsAtRun", async ({ failsAtRun, failed, done }) => {
    writeInput(stereo);
    network.failsAtRun = failsAtRun;
    network.failure = new EngineError("network-failed", "It gave no numbers.");
    const ends = { failed: [] as string[], done: [] as string[] };
    const log = makeProgressLog();
    await run(["guitar", "vocals"], {
      report: {
        onTargetFailed: (key, error) =>
          void ends.failed.push(error === network.failure ? key : error.message),
        onTargetDone: (key) => void ends.done.push(key),
        onProgress: log.onProgress,
      },
    });
    for (const key of ["guitar", "vocals"]) expect(log.fractionsOf(key).at(-1)).toBeGreaterThan(0.9);
    expect({ failed: ends.failed.toSorted(), done: ends.done }).toEqual({ failed, done });
  });

  it("[O30] fails with values that are not finite, which are neither written nor cached", async () => {
    writeInput(stereo);
    network.flaw = Number.NaN;
    const failures: string[] = [];
    const report = { onTargetFailed: (_: string, error: Error) => void failures.push(error.message) };
    await run(["guitar", "vocals"], { report, cacheOwner: "first" });
    expect(failures).toEqual(Array(2).fill("The network returned values that are not finite numbers."));
    expect(existsSync(outputPath("vocals"))).toBe(false);
    network = new GainNetwork(SEGMENT_FRAMES);
    await run(["guitar"], { cacheOwner: "second" });
    expect(network.runs.length).toBe(2 * SEGMENTS);
  });

  it("[P1] finds the stems of both passes in the cache", async () => {
    writeInput(stereo);
    await run(["guitar"], { cacheOwner: "first" });
    const file = readFileSync(outputPath("guitar"));
    await run(["guitar"], { cacheOwner: "second" });
    expect(network.runs.length).toBe(2 * SEGMENTS);
    expect(readFileSync(outputPath("guitar"))).toEqual(file);
  });

  it("never mistakes parts of another network's stem for its own", async () => {
    writeInput(stereo);
    await run(["guitar"], { cacheOwner: "first" });
    const first = makeGainManifest(SEGMENT_FRAMES);
    const retrained = { ...first, weights: { ...first.weights, sha256: "2".repeat(64) } };
    await run(["guitar"], { cacheOwner: "second", first: retrained });
    expect(network.runs.length).toBe(4 * SEGMENTS);
  });

  it("[O7] names both networks in the tags of its files", async () => {
    writeInput(stereo);
    await run(["guitar"]);
    const comment = readComment(outputPath("guitar"));
    expect(comment).toContain(`network=splitter; weights-sha256=${"1".repeat(64)}`);
    expect(comment).toContain(`reads=other of gain; reads-weights-sha256=${"0".repeat(64)}`);
    expect(comment).toContain("reads-execution-provider=cpu");
  });
});
