import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { joinPeaks, measurePeaks } from "../dsp/peaks.ts";
import { makeSeededRandom } from "../dsp/seeded-random.ts";
import { BandPowers, joinColumns, toLevelBytes } from "../dsp/transforms/band-powers.ts";
import { decodeSignal } from "../media/support/encode-and-decode.ts";
import { runRequest } from "../request/run-request.ts";
import { StemCache } from "../separation/stem-cache.ts";
import { GainNetwork, makeGainManifest } from "../support/gain-network.ts";
import { readSound, writeSound } from "../support/sound-file.ts";
import { makeSyntheticSong } from "../support/synthetic-song.ts";
import type { EngineReport, SoundFile, SoundTarget } from "../targets/engine-request.ts";
import type { PreviewStep } from "./preview-track-writer.ts";
import type { PreviewRequest } from "./preview-writer.ts";

const SEGMENT_FRAMES = 200_000;
const SONG = { sampleRateHz: 44_100, lengthFrames: 600_000 };

let folder = "";
let network = new GainNetwork(SEGMENT_FRAMES);
const folders: string[] = [];

/** Yields to the event loop as often as a real network does. */
class BusyNetwork extends GainNetwork {
  override async separate(...args: Parameters<GainNetwork["separate"]>) {
    for (let turn = 0; turn < 30; turn++) await setImmediate();
    return super.separate(...args);
  }
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stemwright-previews-"));
  folders.push(folder);
  network = new GainNetwork(SEGMENT_FRAMES);
});
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

const pathOf = (name: string) => join(folder, `${name}.wav`);

function makeTarget(model: string, outputs: SoundFile["output"][] = ["stem"], variant?: string): SoundTarget {
  const key = variant ? `${model}-${variant}` : model;
  const name = (output: string) => (output === "stem" ? key : `${key}-residual`);
  const files = outputs.map((output) => ({ output, format: "wav" as const, path: pathOf(name(output)) }));
  return { kind: "sound", key, model, files, ...(variant && { variant }) };
}

/** Stored previews by name, as a worker keeps them. */
class Store {
  readonly files = new Map<string, Buffer>();
  readonly chunks: Record<string, number> = {};
  readonly steps: PreviewStep[] = [];

  take(step: PreviewStep): void {
    this.steps.push(step);
    for (const { name, path } of step.files) {
      this.files.set(name, readFileSync(path));
      rmSync(path);
    }
    this.chunks[step.track] = step.chunks;
  }

  async readTrack(track: string): Promise<Float32Array[]> {
    const parts: Float32Array[][] = [];
    for (let chunk = 0; chunk < (this.chunks[track] ?? 0); chunk++) {
      const stored = this.files.get(`${track}/chunks/${chunk}`) ?? Buffer.alloc(0);
      const path = join(folder, `${track}-${chunk}.flac`);
      writeFileSync(path, stored.subarray(4));
      const { channels, samples } = await decodeSignal(path);
      const gain = stored.readFloatLE(0);
      parts.push(
        Array.from({ length: channels }, (_, channel) =>
          Float32Array.from(
            { length: samples.length / channels },
            (_, n) => gain * (samples[n * channels + channel] ?? 0),
          ),
        ),
      );
    }
    return (parts[0] ?? []).map((_, channel) =>
      Float32Array.from(parts.flatMap((planes) => [...(planes[channel] ?? [])])),
    );
  }
}

function run(
  targets: SoundTarget[],
  store: Store,
  options: {
    stemCache?: StemCache;
    report?: EngineReport;
    storedChunks?: PreviewRequest["storedChunks"];
  } = {},
) {
  return runRequest(
    {
      inputPath: pathOf("input"),
      workDir: join(folder, "work"),
      targets,
      previews: { storedChunks: options.storedChunks ?? { ...store.chunks } },
    },
    {
      networks: network,
      manifests: [makeGainManifest(SEGMENT_FRAMES)],
      ...(options.stemCache && {
        stemCache: options.stemCache.openFor({ scope: "client", owner: "task" }),
      }),
      report: {
        ...options.report,
        onPreview: (news) => {
          if (news.kind === "failed") throw new Error(news.message);
          store.take(news);
        },
      },
    },
  );
}

/** The level of the difference of two signals, in dB below full scale. */
function differenceDb(a: readonly Float32Array[], b: readonly Float32Array[]): number {
  expect(a.map(({ length }) => length)).toEqual(b.map(({ length }) => length));
  let sum = 0;
  let count = 0;
  a.forEach((plane, channel) => {
    plane.forEach((value, n) => {
      sum += (value - (b[channel]?.[n] ?? Number.NaN)) ** 2;
      count += 1;
    });
  });
  return 10 * Math.log10(sum / count);
}

describe("previews of a Task", () => {
  it.each([
    { ...SONG, channels: 2 },
    { sampleRateHz: 48_000, lengthFrames: 300_001, channels: 2 },
    { sampleRateHz: 8000, lengthFrames: 40_000, channels: 1 },
    { sampleRateHz: 44_100, lengthFrames: 1, channels: 2 },
  ])("[PV1] null against the outputs and the input: %o", async ({ channels, ...shape }) => {
    const song = makeSyntheticSong(shape).slice(0, channels);
    writeSound(pathOf("input"), song, shape.sampleRateHz);
    const store = new Store();
    await run([makeTarget("vocals", ["stem", "residual"]), makeTarget("instrumental")], store);
    expect(Object.keys(store.chunks).toSorted()).toEqual([
      "input",
      "instrumental",
      "vocals",
      "vocals-residual",
    ]);
    expect(differenceDb(await store.readTrack("input"), song)).toBeLessThan(-110);
    for (const track of ["vocals", "vocals-residual", "instrumental"])
      expect(differenceDb(await store.readTrack(track), readSound(pathOf(track)).planes)).toBeLessThan(-110);
  });

  it("[PV1] keep samples beyond full scale, and mix more than two channels to two", async () => {
    const song = makeSyntheticSong({ sampleRateHz: 44_100, lengthFrames: 150_000 });
    const loud = [...song, ...song].map((plane, channel) => plane.map((value) => (2 + channel) * value));
    writeSound(pathOf("input"), loud, 44_100);
    const store = new Store();
    await run([makeTarget("vocals")], store);
    const mixed = song.map((plane, side) => plane.map((value) => ((2 + side + 4 + side) / 2) * value));
    expect(differenceDb(await store.readTrack("input"), mixed)).toBeLessThan(-100);
  });

  it("[PV2] take at most 12 MB for each track and minute, whatever the sound", async () => {
    const random = makeSeededRandom(1);
    const noise = [0, 1].map(() => Float32Array.from({ length: 300_000 }, () => 2 * random() - 1));
    writeSound(pathOf("input"), noise, 96_000);
    const store = new Store();
    await run([makeTarget("vocals")], store);
    for (const track of ["input", "vocals"]) {
      const sizes = [...store.files]
        .filter(([name]) => name.startsWith(`${track}/`))
        .map(([, { length }]) => length);
      const sizeBytes = sizes.reduce((sum, size) => sum + size, 0);
      expect(sizeBytes / (300_000 / 96_000 / 60)).toBeLessThan(12e6);
    }
    expect(differenceDb(await store.readTrack("input"), noise)).toBeLessThan(-40);
  });

  it("[PV3] grow with the pass: the first chunk exists when the network has processed a little of the input", async () => {
    writeSound(pathOf("input"), makeSyntheticSong(SONG), 44_100);
    network = new BusyNetwork(SEGMENT_FRAMES);
    const store = new Store();
    const runsAtChunk: number[] = [];
    const targets = [makeTarget("vocals")];
    const take = store.take.bind(store);
    store.take = (step) => {
      take(step);
      if (step.track === "vocals") runsAtChunk.push(network.runs.length);
    };
    let chunksAtDone: Record<string, number> = {};
    await run(targets, store, {
      report: {
        onTargetDone: () => {
          chunksAtDone = { ...store.chunks };
        },
      },
    });
    expect(runsAtChunk[0]).toBeLessThan(network.runs.length);
    expect(chunksAtDone).toEqual({ input: 5, vocals: 5 });
  });

  it("[PV4] resume after the stored chunks when the work was killed, without gaps and with the same bytes", async () => {
    writeSound(pathOf("input"), makeSyntheticSong(SONG), 44_100);
    const targets = [makeTarget("vocals"), makeTarget("vocals", ["stem"], "high_quality")];
    const whole = new Store();
    await run(targets, whole);
    rmSync(join(folder, "work"), { recursive: true });

    const store = new Store();
    network = new BusyNetwork(SEGMENT_FRAMES);
    network.failsAtRun = 3;
    await expect(run(targets, store)).rejects.toThrow("killed");
    const before = { ...store.chunks };
    expect(before.vocals).toBeGreaterThan(0);
    // The last step was not stored.
    const storedChunks = { ...before, vocals: (before.vocals ?? 0) - 1 };
    network.failsAtRun = Number.POSITIVE_INFINITY;
    await run(targets, store, { storedChunks });
    expect(store.chunks).toEqual(whole.chunks);
    expect([...store.files.keys()].toSorted()).toEqual([...whole.files.keys()].toSorted());
    for (const [name, bytes] of whole.files) expect(store.files.get(name)?.equals(bytes), name).toBe(true);

    const steps = store.steps.length;
    await run(targets, store);
    expect(store.steps.length).toBe(steps);
  });

  it("[PV4] are made from cached stems too, without the network", async () => {
    writeSound(pathOf("input"), makeSyntheticSong(SONG), 44_100);
    const stemCache = new StemCache(join(folder, "cache"), 1e9);
    const first = new Store();
    await run([makeTarget("vocals")], first, { stemCache });
    rmSync(join(folder, "work"), { recursive: true });
    const second = new Store();
    const runs = network.runs.length;
    await run([makeTarget("vocals")], second, { stemCache });
    expect(network.runs.length).toBe(runs);
    expect([...second.files]).toEqual([...first.files]);
  });

  it("[PV5] have peaks at every level, in pages and an overview", async () => {
    const song = makeSyntheticSong(SONG);
    writeSound(pathOf("input"), song, 44_100);
    const store = new Store();
    await run([makeTarget("vocals")], store);
    const { shape } = store.steps[0] ?? {};
    expect(shape).toMatchObject({ chunkFrames: 131_072, peakLevels: [256, 2048, 16_384, 131_072] });
    const chunks = Array.from({ length: 5 }, (_, chunk) =>
      measurePeaks(
        song.map((plane) => plane.subarray(chunk * 131_072, (chunk + 1) * 131_072)),
        256,
      ),
    );
    const toBytes = (factors: number[]) =>
      Buffer.from(chunks.flatMap((pairs) => factors.flatMap((factor) => [...joinPeaks(pairs, factor)])));
    expect(store.files.get("input/peaks/0")?.equals(toBytes([1, 8]))).toBe(true);
    expect(store.files.get("input/peaks/overview")?.equals(toBytes([64, 512]))).toBe(true);
  });

  it("[PV10] have spectrograms at three levels, separate for every chunk", async () => {
    const song = makeSyntheticSong(SONG);
    writeSound(pathOf("input"), song, 44_100);
    const store = new Store();
    await run([makeTarget("vocals")], store);
    const { spectrum } = store.steps[0]?.shape ?? {};
    expect(spectrum).toEqual({
      levels: [2048, 16_384, 131_072],
      overviewLevels: 1,
      bands: 64,
      floorDb: -120,
    });
    const analyser = new BandPowers({ sampleRateHz: 44_100, columnFrames: 2048, bands: 64 });
    const chunks = Array.from({ length: 5 }, (_, chunk) =>
      analyser.measure(song.map((plane) => plane.subarray(chunk * 131_072, (chunk + 1) * 131_072))),
    );
    const toBytes = (factors: number[]) =>
      Buffer.concat(
        chunks.flatMap((powers) =>
          factors.map((factor) => toLevelBytes(joinColumns(powers, 64, factor), -120)),
        ),
      );
    expect(store.files.get("input/spectra/0")?.equals(toBytes([1, 8]))).toBe(true);
    expect(store.files.get("input/spectra/overview")?.equals(toBytes([64]))).toBe(true);
    const lengths = [...store.files]
      .filter(([name]) => name.includes("spectra"))
      .map(([, bytes]) => bytes.length);
    expect(Math.min(...lengths)).toBeGreaterThan(0);
  });
});
