import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EngineError } from "../engine-error.ts";
import { AUDIO_FORMATS } from "../media/index.ts";
import { killMediaChild } from "../media/support/kill-media-child.ts";
import { makeVideo } from "../media/support/make-video.ts";
import { readComment } from "../media/support/read-comment.ts";
import type { StemNetwork } from "../networks/stem-network.ts";
import engine from "../package.json" with { type: "json" };
import { runRequest } from "../request/run-request.ts";
import { estimateTargetBytes } from "../request/work-bytes.ts";
import { GainNetwork, makeGainManifest } from "../support/gain-network.ts";
import { makeProgressLog } from "../support/progress-log.ts";
import { readSound, writeSound } from "../support/sound-file.ts";
import type { EngineReport, SoundFile, SoundTarget, TargetResult } from "../targets/engine-request.ts";
import { StemCache } from "./stem-cache.ts";

const SEGMENT_FRAMES = 4000;
const STRIDE_FRAMES = 3000;

const folders: string[] = [];
let folder = "";
let network = new GainNetwork(SEGMENT_FRAMES);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stemwright-separate-"));
  folders.push(folder);
  network = new GainNetwork(SEGMENT_FRAMES);
});
afterEach(() => void vi.restoreAllMocks());
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

/** Low tones, a different one in each channel: well inside the band that survives resampling. */
function makeTones(options: {
  channels: number;
  sampleRateHz: number;
  lengthFrames: number;
}): Float32Array[] {
  return Array.from({ length: options.channels }, (_, channel) =>
    Float32Array.from({ length: options.lengthFrames }, (_, n) =>
      Math.fround(0.4 * Math.sin((2 * Math.PI * (200 + 130 * channel) * (n + 1)) / options.sampleRateHz)),
    ),
  );
}

function makeTarget(model: string, outputs: SoundFile["output"][] = ["stem"]): SoundTarget {
  const files = outputs.map((output) => ({
    output,
    format: "wav" as const,
    path: outputPath(model, output),
  }));
  return { kind: "sound", key: model, model, files };
}

function outputPath(model: string, output: SoundFile["output"]): string {
  return join(folder, `${model}-${output}.wav`);
}

function run(targets: SoundTarget[], report: EngineReport = {}, inputPath = join(folder, "input.wav")) {
  return runRequest(
    { inputPath, workDir: join(folder, "work"), targets },
    { networks: network, manifests: [makeGainManifest(SEGMENT_FRAMES)], report },
  );
}

function energyDb(planes: Float32Array[]): number {
  return 10 * Math.log10(planes.reduce((sum, plane) => plane.reduce((a, b) => a + b * b, sum), 0));
}

function peakOf(planes: Float32Array[], value: (channel: number, n: number) => number): number {
  let peak = 0;
  planes.forEach((plane, channel) => {
    plane.forEach((_, n) => {
      peak = Math.max(peak, Math.abs(value(channel, n)));
    });
  });
  return peak;
}

describe("integrity", () => {
  // Every rate and channel count, with lengths from one frame to several segments.
  it.each([
    { channels: 1, sampleRateHz: 8000, lengthFrames: 1 },
    { channels: 2, sampleRateHz: 8000, lengthFrames: 1601 },
    { channels: 1, sampleRateHz: 11025, lengthFrames: 441 },
    { channels: 2, sampleRateHz: 16000, lengthFrames: 2 },
    { channels: 3, sampleRateHz: 22050, lengthFrames: 999 },
    { channels: 2, sampleRateHz: 32000, lengthFrames: 7000 },
    { channels: 2, sampleRateHz: 44100, lengthFrames: 1 },
    { channels: 6, sampleRateHz: 44100, lengthFrames: 9001 },
    { channels: 7, sampleRateHz: 48000, lengthFrames: 441 },
    { channels: 2, sampleRateHz: 48000, lengthFrames: 12345 },
    { channels: 4, sampleRateHz: 88200, lengthFrames: 1 },
    { channels: 5, sampleRateHz: 96000, lengthFrames: 20000 },
    { channels: 1, sampleRateHz: 176400, lengthFrames: 441 },
    { channels: 8, sampleRateHz: 192000, lengthFrames: 4000 },
  ])("[O4] [O5] keeps length, rate and channels, and stem + residual = input: %o", async (shape) => {
    const input = makeTones(shape);
    writeSound(join(folder, "input.wav"), input, shape.sampleRateHz);
    await run([makeTarget("vocals", ["stem", "residual"])]);
    const stem = readSound(outputPath("vocals", "stem"));
    const residual = readSound(outputPath("vocals", "residual"));
    expect(stem).toMatchObject(shape);
    expect(residual).toMatchObject(shape);
    const at = (planes: Float32Array[], channel: number, n: number) => planes[channel]?.[n] ?? Number.NaN;
    // −120 dBFS is 1e-6.
    const sumError = peakOf(
      input,
      (channel, n) => at(stem.planes, channel, n) + at(residual.planes, channel, n) - at(input, channel, n),
    );
    expect(sumError).toBeLessThan(1e-6);
    const sum = input.map((plane, channel) =>
      plane.map((_, n) => at(stem.planes, channel, n) + at(residual.planes, channel, n)),
    );
    expect(Math.abs(energyDb(sum) - energyDb(input))).toBeLessThan(0.01);
    if (shape.sampleRateHz === 44100) {
      const gainError = peakOf(
        input,
        (channel, n) => at(stem.planes, channel, n) - at(input, channel, n) / 2,
      );
      expect(gainError).toBeLessThan(1e-6);
    }
  });

  it("keeps everything above the network's band in the residual only", async () => {
    const sampleRateHz = 96000;
    const tone = Float32Array.from(
      { length: 9600 },
      (_, n) => 0.5 * Math.sin((2 * Math.PI * 30000 * n) / sampleRateHz),
    );
    writeSound(join(folder, "input.wav"), [tone, tone], sampleRateHz);
    await run([makeTarget("vocals", ["stem", "residual"]), makeTarget("instrumental")]);
    const vocals = readSound(outputPath("vocals", "stem"));
    const instrumental = readSound(outputPath("instrumental", "stem"));
    // Away from the ends, where the tone's sudden start has energy in the whole band.
    const middle = (planes: Float32Array[]) => planes.map((plane) => plane.subarray(2000, 7600));
    const tones = middle([tone, tone]);
    expect(peakOf(tones, (channel, n) => middle(vocals.planes)[channel]?.[n] ?? Number.NaN)).toBeLessThan(
      1e-6,
    );
    const residual = readSound(outputPath("vocals", "residual"));
    for (const { planes } of [residual, instrumental]) {
      const whole = middle(planes);
      const error = peakOf(
        tones,
        (channel, n) => (whole[channel]?.[n] ?? Number.NaN) - (tones[channel]?.[n] ?? 0),
      );
      expect(error).toBeLessThan(1e-6);
    }
  });
});

describe("one pass", () => {
  it("serves all targets with one run per segment, and requests only stems in use", async () => {
    const lengthFrames = 2 * STRIDE_FRAMES + 2000;
    writeSound(
      join(folder, "input.wav"),
      makeTones({ channels: 2, sampleRateHz: 44100, lengthFrames }),
      44100,
    );
    const done: string[] = [];
    const log = makeProgressLog();
    await run([makeTarget("vocals"), makeTarget("instrumental", ["stem", "residual"]), makeTarget("drums")], {
      onTargetDone: (key, result) => {
        done.push(key);
        expect(result.durationSeconds).toBeCloseTo(lengthFrames / 44100, 9);
      },
      onProgress: log.onProgress,
    });
    expect(network.runs).toEqual(Array.from({ length: 3 }, () => ["vocals", "drums"]));
    expect(done.toSorted()).toEqual(["drums", "instrumental", "vocals"]);
    for (const key of done) {
      const fractions = log.fractionsOf(key);
      expect(fractions).toEqual([...fractions].sort((a, b) => a - b));
      expect(fractions.at(-1)).toBeCloseTo(1, 9);
    }
  });

  it("[T9] [T14] a target's progress and time do not depend on later work", async () => {
    const lengthFrames = 2 * STRIDE_FRAMES + 2000;
    writeSound(
      join(folder, "input.wav"),
      makeTones({ channels: 2, sampleRateHz: 44100, lengthFrames }),
      44100,
    );
    const log = makeProgressLog();
    const betterFile = { output: "stem" as const, format: "wav" as const, path: join(folder, "better.wav") };
    const better = { ...makeTarget("vocals"), key: "better", variant: "high_quality", files: [betterFile] };
    await run([makeTarget("vocals"), better], { onProgress: log.onProgress });
    // The first of three passes serves both; when it is done, one of them is nearly done.
    const whenNearlyDone = log.told.findIndex(({ key, fraction }) => key === "vocals" && fraction > 0.9);
    const betterThen = log.told.slice(0, whenNearlyDone).findLast(({ key }) => key === "better");
    expect(betterThen?.fraction).toBeGreaterThan(0.2);
    expect(betterThen?.fraction).toBeLessThan(0.45);
    expect(log.fractionsOf("vocals").at(-1)).toBe(1);
    expect(log.fractionsOf("better").at(-1)).toBe(1);
    for (const key of ["vocals", "better"]) {
      const fractions = log.fractionsOf(key);
      expect(fractions).toEqual(fractions.toSorted((a, b) => a - b));
    }
  });

  it("[O10] [A6] a target that can't be made from the input fails before a network runs for it", async () => {
    makeVideo(join(folder, "input.wav"), 20, { encoder: "libvpx", muxer: "matroska", soundSeconds: 1 });
    const failed: string[] = [];
    const done: string[] = [];
    const files = [
      { output: "stem", format: "mp4", path: join(folder, "vocals.mp4") },
      { output: "stem", format: "wav", path: join(folder, "vocals.wav") },
    ] as const;
    const asking = { ...makeTarget("vocals"), files: [...files] };
    await run([asking, makeTarget("drums")], {
      onTargetFailed: (key, error) => void failed.push(`${key}: ${error.kind}: ${error.message}`),
      onTargetDone: (key) => void done.push(key),
    });
    expect(failed).toEqual([expect.stringMatching(/^vocals: encode-failed: .*vp8.*without mp4/)]);
    expect(done).toEqual(["drums"]);
    expect(new Set(network.runs.flat())).toEqual(new Set(["drums"]));
    network.runs.length = 0;
    await run([asking], { onTargetFailed: (key) => void failed.push(key) });
    expect(failed).toHaveLength(2);
    expect(network.runs).toEqual([]);
  });

  it("[O4] [A6] keeps each of ten channels", async () => {
    const planes = makeTones({ channels: 10, sampleRateHz: 44100, lengthFrames: 5000 });
    writeSound(join(folder, "input.wav"), planes, 44100);
    await run([makeTarget("vocals", ["stem", "residual"])]);
    const { planes: stems, channels } = readSound(outputPath("vocals", "stem"));
    expect(channels).toBe(10);
    planes.forEach((plane, channel) => {
      const error = plane.reduce(
        (peak, value, n) => Math.max(peak, Math.abs(value / 2 - (stems[channel]?.[n] ?? 9))),
        0,
      );
      expect(error).toBeLessThan(1e-6);
    });
  });

  it("[O12] reports clipped samples", async () => {
    const plane = Float32Array.from({ length: 5000 }, (_, n) => 3 * Math.sin(n / 30));
    writeSound(join(folder, "input.wav"), [plane], 44100);
    const path = join(folder, "vocals.flac");
    const results: TargetResult[] = [];
    const target = {
      ...makeTarget("vocals"),
      files: [{ output: "stem" as const, format: "flac" as const, path }],
    };
    await run([target], { onTargetDone: (_, result) => void results.push(result) });
    const tooLoud = plane.filter((value) => Math.abs(value / 2) > 1).length;
    expect(tooLoud).toBeGreaterThan(1000);
    expect(Math.abs((results[0]?.clippedSamples?.[path] ?? 0) - tooLoud)).toBeLessThan(5);
  });

  it("[T14] the remaining time is that of the remaining segments, in a first and in a resumed run", async () => {
    let nowMs = 0;
    vi.spyOn(performance, "now").mockImplementation(() => nowMs);
    const loading = vi.spyOn(network, "getNetwork").mockImplementationOnce(async () => {
      nowMs += 60_000;
      return { network, runsOn: "cpu" };
    });
    const separate = network.separate.bind(network);
    const slow: StemNetwork = network;
    vi.spyOn(slow, "separate").mockImplementation(async (segment, stems, onProgress) => {
      const separated = await separate(segment, stems);
      nowMs += 1000;
      onProgress?.(1);
      return separated;
    });
    const segmentCount = 60;
    const lengthFrames = SEGMENT_FRAMES + (segmentCount - 1) * STRIDE_FRAMES;
    writeSound(
      join(folder, "input.wav"),
      makeTones({ channels: 2, sampleRateHz: 44100, lengthFrames }),
      44100,
    );
    const runUpTo = async (runs: number) => {
      const told: { expectedMs: number; fraction: number }[] = [];
      network.failsAtRun = runs;
      const running = run([makeTarget("vocals")], {
        onProgress: ([progress]) =>
          told.push({
            expectedMs: nowMs + (progress?.secondsLeft ?? Number.NaN) * 1000,
            fraction: progress?.fraction ?? Number.NaN,
          }),
      });
      await running.catch(() => {});
      return told;
    };
    const killed = await runUpTo(30);
    expect(loading).toHaveBeenCalled();
    // As if the run had continued: 60 seconds to load the network, one per segment, and the estimated rendering time.
    for (const { expectedMs } of killed.filter(({ fraction }) => fraction >= 0.1))
      expect(Math.abs(expectedMs / 1000 / (60 + segmentCount) - 1)).toBeLessThan(0.05);
    const resumedMs = nowMs;
    const resumed = (await runUpTo(Number.POSITIVE_INFINITY)).filter(({ expectedMs }) => expectedMs > 0);
    expect(resumed.length).toBeGreaterThan(25);
    for (const { expectedMs } of resumed)
      expect(Math.abs((expectedMs - resumedMs) / (nowMs - resumedMs) - 1)).toBeLessThan(0.1);
  });

  it("runs each channel group of 5.1, and skips silent groups and segments", async () => {
    const lengthFrames = STRIDE_FRAMES + 2000;
    const planes = makeTones({ channels: 6, sampleRateHz: 44100, lengthFrames });
    planes[3]?.fill(0);
    planes[2]?.fill(0, 0, 4000);
    writeSound(join(folder, "input.wav"), planes, 44100);
    await run([makeTarget("vocals")]);
    // Front pair and back pair twice, the centre once, the low-frequency channel never.
    expect(network.runs.length).toBe(5);
  });
});

describe("high quality", () => {
  const shape = { channels: 2, sampleRateHz: 44100, lengthFrames: 2 * SEGMENT_FRAMES };
  const better: SoundTarget = { ...makeTarget("vocals"), key: "better", variant: "high_quality" };
  const write = (lengthFrames: number) =>
    writeSound(join(folder, "input.wav"), makeTones({ ...shape, lengthFrames }), shape.sampleRateHz);
  /** Energy of a target's difference from half of the input. */
  const errorOf = (name: string) => {
    const input = makeTones(shape);
    const { planes, ...given } = readSound(outputPath(name, "stem"));
    expect(given).toEqual(shape);
    return planes.reduce(
      (sum, plane, channel) =>
        plane.reduce((part, value, n) => part + (value - (input[channel]?.[n] ?? 0) / 2) ** 2, sum),
      0,
    );
  };

  beforeEach(() => {
    better.files = [{ output: "stem", format: "wav", path: outputPath("better", "stem") }];
    write(shape.lengthFrames);
    network.flaw = 0.03;
  });

  it("[O9] is the mean of passes over shifted segments, each in its place", async () => {
    await run([better, makeTarget("vocals")]);
    expect(errorOf("better")).toBeLessThan(0.9 * errorOf("vocals"));
    rmSync(join(folder, "work"), { recursive: true });
    network.flaw = 0;
    await run([better]);
    expect(errorOf("better")).toBeLessThan(1e-9);
  });

  it("[O9] is one pass if later ones would not fill a segment", async () => {
    write(SEGMENT_FRAMES + SEGMENT_FRAMES / 4 - 1);
    await run([better]);
    // Two segments of the only pass.
    expect(network.runs.length).toBe(2);
  });

  it("[O9] shares its plain pass with targets of the standard quality", async () => {
    const done: string[] = [];
    await run([better, makeTarget("drums"), makeTarget("vocals")], {
      onTargetDone: (key) => void done.push(key),
    });
    expect(network.runs).toEqual([
      ...Array.from({ length: 3 }, () => ["vocals", "drums"]),
      ...Array.from({ length: 4 }, () => ["vocals"]),
    ]);
    expect(done.toSorted()).toEqual(["better", "drums", "vocals"]);
  });

  it("[O9] resumes in the pass it was killed in, and writes the same bytes", async () => {
    await run([better]);
    const uninterrupted = readFileSync(outputPath("better", "stem"));
    const allRuns = network.runs.length;
    rmSync(join(folder, "work"), { recursive: true });
    network = new GainNetwork(SEGMENT_FRAMES);
    network.flaw = 0.03;
    network.failsAtRun = 4;
    await expect(run([better])).rejects.toThrow("killed");
    network.failsAtRun = Number.POSITIVE_INFINITY;
    await run([better]);
    expect(network.runs.length).toBe(allRuns + 1);
    expect(readFileSync(outputPath("better", "stem"))).toEqual(uninterrupted);
  });
});

describe("the cache", () => {
  const shape = { channels: 2, sampleRateHz: 48000, lengthFrames: 2 * STRIDE_FRAMES + 2000 };
  const runCached = (targets: SoundTarget[], owner: string) => {
    const workDir = join(folder, owner);
    return runRequest(
      { inputPath: join(folder, "input.wav"), workDir, targets },
      {
        networks: network,
        manifests: [makeGainManifest(SEGMENT_FRAMES)],
        report: {},
        stemCache: new StemCache(join(folder, "stems"), 1e9).openFor({ scope: "client", owner }),
      },
    );
  };

  it("[P1] repeats the same work with the same bytes and without the network", async () => {
    writeSound(join(folder, "input.wav"), makeTones(shape), shape.sampleRateHz);
    await runCached([makeTarget("vocals")], "first");
    const first = readFileSync(outputPath("vocals", "stem"));
    const { length: runs } = network.runs;
    rmSync(join(folder, "first"), { recursive: true });
    await runCached([makeTarget("vocals")], "second");
    expect(readFileSync(outputPath("vocals", "stem"))).toEqual(first);
    expect(network.runs.length).toBe(runs);
    // Another stem is other work, and so is other content.
    await runCached([makeTarget("vocals"), makeTarget("drums")], "third");
    expect(network.runs.slice(runs)).toEqual(Array.from({ length: runs }, () => ["drums"]));
    writeSound(join(folder, "input.wav"), makeTones({ ...shape, lengthFrames: 99 }), shape.sampleRateHz);
    await runCached([makeTarget("vocals")], "fourth");
    expect(network.runs.length).toBe(2 * runs + 1);
  });
});

describe("a killed run", () => {
  const lengthFrames = 4 * STRIDE_FRAMES + 1500;
  const writeInput = (gain: number) =>
    writeSound(
      join(folder, "input.wav"),
      makeTones({ channels: 2, sampleRateHz: 48000, lengthFrames }).map((plane) =>
        plane.map((x) => x * gain),
      ),
      48000,
    );

  it("resumes, repeats one segment, and writes the same bytes", async () => {
    writeInput(1);
    const targets = [makeTarget("vocals"), makeTarget("drums")];
    await run(targets);
    const uninterrupted = targets.map(({ model }) => readFileSync(outputPath(model, "stem")));
    const allRuns = network.runs.length;

    rmSync(join(folder, "work"), { recursive: true });
    network = new GainNetwork(SEGMENT_FRAMES);
    network.failsAtRun = 3;
    await expect(run(targets)).rejects.toThrow("killed");
    // As left by a kill during a write.
    writeFileSync(join(folder, "work/gain/plain/drums.f32"), Buffer.alloc(100), { flag: "a" });
    network = new GainNetwork(SEGMENT_FRAMES);
    await run(targets);
    expect(network.runs.length).toBe(allRuns - 3 + 1);
    expect(targets.map(({ model }) => readFileSync(outputPath(model, "stem")))).toEqual(uninterrupted);
  });

  it("repeats the last segment if killed during the last write", async () => {
    writeInput(1);
    await run([makeTarget("vocals")]);
    const uninterrupted = readFileSync(outputPath("vocals", "stem"));
    const spool = join(folder, "work/gain/plain/vocals.f32");
    truncateSync(spool, statSync(spool).size - 80);
    network = new GainNetwork(SEGMENT_FRAMES);
    await run([makeTarget("vocals")]);
    // The last one, and the one before it for its tail.
    expect(network.runs.length).toBe(2);
    expect(readFileSync(outputPath("vocals", "stem"))).toEqual(uninterrupted);
  });

  it("runs no segment again if only a target is missing", async () => {
    writeInput(1);
    await run([makeTarget("vocals")]);
    const runs = network.runs.length;
    await run([makeTarget("instrumental")]);
    expect(network.runs.length).toBe(runs);
  });

  it("never uses spools of another input", async () => {
    writeInput(1);
    await run([makeTarget("vocals")]);
    const loud = readSound(outputPath("vocals", "stem"));
    writeInput(0.5);
    await run([makeTarget("vocals")]);
    const quiet = readSound(outputPath("vocals", "stem"));
    const error = peakOf(
      loud.planes,
      (channel, n) => (loud.planes[channel]?.[n] ?? 0) / 2 - (quiet.planes[channel]?.[n] ?? 0),
    );
    expect(error).toBeLessThan(1e-6);
  });
});

describe("provenance", () => {
  it.each(["stem", "residual"] as const)("[O7] stands in every format of the %s", async (output) => {
    const shape = { channels: 2, sampleRateHz: 44100, lengthFrames: 5000 };
    writeSound(join(folder, "input.wav"), makeTones(shape), shape.sampleRateHz);
    const files = AUDIO_FORMATS.map((format) => ({ output, format, path: join(folder, `vocals.${format}`) }));
    await run([{ ...makeTarget("vocals"), files }]);
    const comment = [
      `made-by=Stemwright ${engine.version}`,
      "model=vocals",
      "variant=standard",
      `output=${output}`,
      "network=gain",
      `weights-sha256=${"0".repeat(64)}`,
      "overlap=0.25",
      "passes=1",
      "execution-provider=cpu",
    ].join("; ");
    expect(files.map(({ path }) => readComment(path))).toEqual(AUDIO_FORMATS.map(() => comment));
  });
});

describe("errors", () => {
  it("of one target do not affect the others", async () => {
    writeSound(
      join(folder, "input.wav"),
      makeTones({ channels: 2, sampleRateHz: 44100, lengthFrames: 99 }),
      44100,
    );
    const ends: string[] = [];
    const unwritable = makeTarget("drums");
    unwritable.files = [{ output: "stem", format: "wav", path: join(folder, "no/such/folder.wav") }];
    await run(
      [unwritable, makeTarget("guitar"), { ...makeTarget("drums"), variant: "fast" }, makeTarget("vocals")],
      {
        onTargetDone: (key) => void ends.push(`${key} done`),
        onTargetFailed: (key, error) => void ends.push(`${key} ${error.kind}`),
      },
    );
    expect(ends).toEqual([
      "guitar network-missing",
      "drums network-missing",
      "drums encode-failed",
      "vocals done",
    ]);
  });

  it("[T15] in one of several passes fail the targets that need all of them", async () => {
    const shape = { channels: 2, sampleRateHz: 44100, lengthFrames: 3 * SEGMENT_FRAMES };
    writeSound(join(folder, "input.wav"), makeTones(shape), shape.sampleRateHz);
    const ends: string[] = [];
    const report: EngineReport = {
      onTargetDone: (key) => void ends.push(`${key} done`),
      onTargetFailed: (key, error) => void ends.push(`${key} ${error.kind}`),
    };
    await run([makeTarget("drums")]);
    const passRuns = network.runs.length;
    rmSync(join(folder, "work"), { recursive: true });
    network = new GainNetwork(SEGMENT_FRAMES);
    network.failsAtRun = passRuns + 1;
    network.failure = new EngineError("out-of-memory", "Not enough memory to continue.");
    await run([{ ...makeTarget("vocals"), variant: "high_quality" }, makeTarget("drums")], report);
    expect(ends.toSorted()).toEqual(["drums done", "vocals out-of-memory"]);
    expect(network.runs).toHaveLength(passRuns + 1);
  });

  it("of the input fail the request", async () => {
    const inputPath = join(folder, "song.mp3");
    writeFileSync(inputPath, "this is text, not sound\n".repeat(50));
    const failure = await run([makeTarget("vocals")], {}, inputPath).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(EngineError);
    expect(failure).toMatchObject({ kind: "input-unreadable" });
    await expect(run([makeTarget("vocals")], {}, join(folder, "none.wav"))).rejects.toMatchObject({
      kind: "input-unreadable",
    });
  });

  it("[Q6] of a killed decoder are not the input's fault, which is read the next time", async () => {
    writeSound(
      join(folder, "input.wav"),
      makeTones({ channels: 2, sampleRateHz: 44100, lengthFrames: 99 }),
      44100,
    );
    const ends: string[] = [];
    const report: EngineReport = { onTargetDone: (key) => void ends.push(key) };
    const [failure] = await Promise.all([
      run([makeTarget("vocals")], report).catch((error: unknown) => error),
      killMediaChild(),
    ]);
    expect(failure).toMatchObject({ kind: "machine-failed" });
    expect(failure).not.toBeInstanceOf(EngineError);
    await run([makeTarget("vocals")], report);
    expect(ends).toEqual(["vocals"]);
  });

  it("report an input longer than allowed, even if it was decoded before", async () => {
    writeSound(
      join(folder, "input.wav"),
      makeTones({ channels: 1, sampleRateHz: 8000, lengthFrames: 9000 }),
      8000,
    );
    await run([makeTarget("vocals")]);
    const request = {
      inputPath: join(folder, "input.wav"),
      workDir: join(folder, "work"),
      targets: [makeTarget("vocals")],
      maxDurationSeconds: 1,
    };
    const options = { networks: network, manifests: [makeGainManifest(SEGMENT_FRAMES)], report: {} };
    await expect(runRequest(request, options)).rejects.toMatchObject({ kind: "input-too-long" });
    rmSync(join(folder, "work"), { recursive: true });
    await expect(runRequest(request, options)).rejects.toMatchObject({ kind: "input-too-long" });
  });

  it("[T20] report an input that needs more disk than allowed, decoded or with its stems, before any stem is made", async () => {
    const lengthFrames = 9000;
    writeSound(join(folder, "input.wav"), makeTones({ channels: 2, sampleRateHz: 8000, lengthFrames }), 8000);
    const targets = [makeTarget("vocals"), makeTarget("drums")];
    const manifests = [makeGainManifest(SEGMENT_FRAMES)];
    const runWithin = (limits: { maxDecodedBytes?: number; maxWorkBytes?: number }) =>
      runRequest(
        { inputPath: join(folder, "input.wav"), workDir: join(folder, "work"), targets, ...limits },
        { networks: network, manifests, report: {} },
      );
    const separate = vi.spyOn(network, "separate");
    const decodedBytes = lengthFrames * 2 * 4;
    await expect(runWithin({ maxDecodedBytes: decodedBytes - 1 })).rejects.toMatchObject({
      kind: "input-too-large",
    });
    const media = { durationSeconds: lengthFrames / 8000, sampleRateHz: 8000, channels: 2 };
    const workBytes = estimateTargetBytes(targets, media, manifests);
    expect(workBytes).toBeGreaterThan(2 * decodedBytes);
    await expect(
      runWithin({ maxDecodedBytes: decodedBytes, maxWorkBytes: workBytes - 1 }),
    ).rejects.toMatchObject({
      kind: "input-too-large",
      message: expect.stringContaining(`${workBytes} bytes`) as string,
    });
    expect(separate).not.toHaveBeenCalled();
    await runWithin({ maxDecodedBytes: decodedBytes, maxWorkBytes: workBytes });
    const spools = readdirSync(join(folder, "work"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.name.endsWith(".f32"))
      .map(({ parentPath, name }) => statSync(join(parentPath, name)).size);
    expect(spools.reduce((sum, sizeBytes) => sum + sizeBytes, 0)).toBe(workBytes);
    // Even if everything already existed.
    await expect(runWithin({ maxDecodedBytes: decodedBytes - 1 })).rejects.toMatchObject({
      kind: "input-too-large",
    });
  });
});
