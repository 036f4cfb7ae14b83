import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { runRequest } from "../../request/run-request.ts";
import { sha256OfFile } from "../../runtime/sha256-of-file.ts";
import { bringSpan } from "../../support/bring-span.ts";
import { GainNetwork, makeGainManifest, makeSplitterManifest } from "../../support/gain-network.ts";
import { makeProgressLog } from "../../support/progress-log.ts";
import { writeSound } from "../../support/sound-file.ts";
import { makeSyntheticSong } from "../../support/synthetic-song.ts";
import type { EngineReport, SoundTarget } from "../../targets/engine-request.ts";
import { runSpan, type SpanResult } from "./run-span.ts";
import type { MadeSpan, SpanExchange, SpanId, SpanPart } from "./span-exchange.ts";

const SEGMENT_FRAMES = 4000;
const MANIFESTS = [makeSplitterManifest(SEGMENT_FRAMES), makeGainManifest(SEGMENT_FRAMES)];
/** Some twenty segments of each network. */
const SONG = { sampleRateHz: 44_100, lengthFrames: 61_234 };
/** Six or seven spans. */
const SPANS_FROM_SECONDS = 0.65;

const folders: string[] = [];
let folder = "";
let network = makeNetwork();

/** Its error depends on the position in the segment, so that any other split shows. */
function makeNetwork(): GainNetwork {
  const made = new GainNetwork(SEGMENT_FRAMES);
  made.flaw = 0.03;
  return made;
}

/** The result of a single engine. */
let alone: { outputs: string[]; segments: number };
/** The input is decoded only once. */
const seedWorkDir = (name: string) => {
  for (const file of ["input.f32", "input.json"])
    cpSync(join(folders[0] ?? "", "work", file), join(folder, name, file));
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "stemwright-spans-"));
  folders.push(folder);
  writeSound(inputPath(), makeSyntheticSong(SONG), SONG.sampleRateHz);
  await run();
  alone = { outputs: readOutputs(), segments: network.runs.length };
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stemwright-spans-"));
  folders.push(folder);
  network = makeNetwork();
  seedWorkDir("work");
  seedWorkDir("helper");
});
afterAll(() => {
  for (const path of folders) rmSync(path, { recursive: true, force: true });
});

const inputPath = () => join(folders[0] ?? "", "input.wav");
const outputPath = (name: string) => join(folder, `${name}.wav`);
function makeTarget(model: string, variant?: string): SoundTarget {
  const key = variant ? `${model}-${variant}` : model;
  const files = [{ output: "stem" as const, format: "wav" as const, path: outputPath(key) }];
  return { kind: "sound", key, model, files, ...(variant && { variant }) };
}
const makeTargets = () => [makeTarget("vocals", "high_quality"), makeTarget("guitar")];
const readOutputs = () => makeTargets().map(({ key }) => sha256OfFile(outputPath(key)));

type Run = { path?: string; fromSeconds?: number; spans?: SpanExchange; report?: EngineReport };
const run = ({ path = inputPath(), fromSeconds = SPANS_FROM_SECONDS, spans, report = {} }: Run = {}) =>
  runRequest(
    {
      inputPath: path,
      workDir: join(folder, "work"),
      targets: makeTargets(),
      spansFromSeconds: fromSeconds,
    },
    { networks: network, manifests: MANIFESTS, report, spans },
  );

const help = (
  part: SpanPart,
  index: number,
  options: { network?: GainNetwork; onProgress?: (fraction: number) => void } = {},
) =>
  runSpan(
    { inputPath: inputPath(), workDir: join(folder, "helper"), part, index },
    { networks: options.network ?? makeNetwork(), manifests: MANIFESTS, onProgress: () => {}, ...options },
  );

class Exchange implements SpanExchange {
  parts: readonly SpanPart[] = [];
  readonly taken: SpanId[] = [];
  readonly shares = new Map<string, number>();
  readonly listeners = new Set<() => void>();
  readonly #made = new Map<string, Promise<SpanResult>>();
  readonly #isElsewhere: (span: SpanId) => boolean;

  constructor(isElsewhere: (span: SpanId) => boolean) {
    this.#isElsewhere = isElsewhere;
  }

  offer(parts: readonly SpanPart[]): void {
    // As sent to another process and stored in a database.
    this.parts = JSON.parse(JSON.stringify(parts));
  }

  getPart(key: string): SpanPart {
    const part = this.parts.find((one) => one.key === key);
    if (!part) throw new Error(`no part ${key}`);
    return part;
  }

  async take(span: SpanId): Promise<MadeSpan | undefined> {
    this.taken.push(span);
    if (!this.#isElsewhere(span)) return undefined;
    // Every pass of a part asks for it.
    const key = `${span.part} ${span.index}`;
    const made = this.#made.get(key) ?? help(this.getPart(span.part), span.index);
    this.#made.set(key, made);
    return bringSpan(await made, folder);
  }

  shareElsewhere({ part, index }: SpanId): number {
    return this.shares.get(`${part} ${index}`) ?? 0;
  }

  onElsewhere(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
}

describe("a long input in spans", () => {
  it.each([
    { name: "every other span", isElsewhere: ({ index }: SpanId) => index % 2 === 1 },
    { name: "the last ones", isElsewhere: ({ index }: SpanId) => index > 3 },
    { name: "all of them", isElsewhere: () => true },
    { name: "one network alone", isElsewhere: ({ part }: SpanId) => part !== "gain/plain" },
  ])("[Q14] gives the bytes of a single pass where others make $name", async ({ isElsewhere }) => {
    const exchange = new Exchange(isElsewhere);
    await run({ spans: exchange });
    expect(exchange.parts.map(({ key }) => key)).toEqual(["gain/plain", "gain/from-0.5", "gain/from-0.25"]);
    expect(exchange.getPart("gain/plain").passes.map(({ name }) => name)).toEqual([
      "gain/plain",
      "splitter/plain",
    ]);
    expect(exchange.getPart("gain/plain").cutFrames.length).toBeGreaterThan(5);
    expect(exchange.taken.some(isElsewhere)).toBe(true);
    expect(readOutputs()).toEqual(alone.outputs);
  });

  it("[Q14] runs no segment twice if all spans are made here", async () => {
    await run({ spans: new Exchange(() => false) });
    expect(network.runs.length).toBe(alone.segments);
    expect(readOutputs()).toEqual(alone.outputs);
  });

  it("[Q14] runs one extra segment after each span made elsewhere", async () => {
    const { segments } = alone;
    const made = new Exchange(({ index }) => index === 2);
    await run({ spans: made });
    // In each of four passes, one span's segments fewer, and its last one repeated.
    const spans = made.getPart("gain/plain").cutFrames.length + 1;
    const saved = segments - network.runs.length;
    expect(saved).toBeGreaterThan(segments / spans - 8);
    expect(saved).toBeLessThan(segments / spans);
  });

  it("[Q14] resumes where it was killed, without the spans it already has", async () => {
    network.failsAtRun = 12;
    await expect(run({ spans: new Exchange(({ index }) => index === 0) })).rejects.toThrow("killed");
    network.failsAtRun = Number.POSITIVE_INFINITY;
    const exchange = new Exchange(({ index }) => index > 2);
    await run({ spans: exchange });
    expect(exchange.getPart("gain/plain").finishedSpans).toBeGreaterThan(0);
    expect(
      exchange.taken.filter(({ part }) => part === "gain/plain").map(({ index }) => index),
    ).not.toContain(0);
    expect(network.runs.length).toBeLessThan(alone.segments);
    expect(readOutputs()).toEqual(alone.outputs);
  });

  it("[Q14] takes the missing part of a span that was started here", async () => {
    network.failsAtRun = 5;
    await expect(run({ spans: new Exchange(() => false) })).rejects.toThrow("killed");
    network.failsAtRun = Number.POSITIVE_INFINITY;
    await run({ spans: new Exchange(() => true) });
    expect(readOutputs()).toEqual(alone.outputs);
    expect(network.runs.length).toBe(5);
  });

  it("[Q14] is never split finer than its segments", async () => {
    const exchange = new Exchange(() => true);
    await run({ fromSeconds: 0.1, spans: exchange });
    expect([exchange.parts, exchange.taken]).toEqual([[], []]);
    expect(readOutputs()).toEqual(alone.outputs);
  });

  it("[Q14] is not split if it is no longer than a span", async () => {
    const path = join(folder, "short.wav");
    writeSound(path, makeSyntheticSong({ ...SONG, lengthFrames: 20_000 }), SONG.sampleRateHz);
    const exchange = new Exchange(() => true);
    await run({ path, spans: exchange });
    expect([exchange.parts, exchange.taken]).toEqual([[], []]);
  });

  it("[Q16] reports progress of all work, here or elsewhere, and never falls", async () => {
    const log = makeProgressLog();
    const exchange = new Exchange(({ index }) => index > 2);
    const spans: SpanExchange = {
      offer: (parts) => exchange.offer(parts),
      take: (span) => {
        // Another worker is halfway through all the others.
        if (span.index === 1) {
          for (let index = 3; index < 9; index += 1) exchange.shares.set(`gain/plain ${index}`, 0.5);
          for (const listener of exchange.listeners) listener();
        }
        return exchange.take(span);
      },
      shareElsewhere: (span) => exchange.shareElsewhere(span),
      onElsewhere: (listener) => exchange.onElsewhere(listener),
    };
    await run({ spans, report: log });
    const guitar = log.fractionsOf("guitar");
    expect(guitar).toEqual(guitar.toSorted((a, b) => a - b));
    expect(guitar.at(-1)).toBe(1);
    const steps = guitar.map((value, index) => value - (guitar[index - 1] ?? 0));
    expect(Math.max(...steps)).toBeGreaterThan(0.1);
    expect(exchange.listeners.size).toBe(0);
  });
});

describe("a span made for another engine", () => {
  const offered = async (): Promise<Exchange> => {
    const exchange = new Exchange(() => false);
    network.failsAtRun = 0;
    await expect(run({ spans: exchange })).rejects.toThrow("killed");
    return exchange;
  };

  it("[Q15] resumes after its last segment when killed", async () => {
    const part = (await offered()).getPart("gain/plain");
    const whole = makeNetwork();
    await help(part, 3, { network: whole });
    const made = makeNetwork();
    made.failsAtRun = 4;
    rmSync(join(folder, "helper", "spans"), { recursive: true });
    await expect(help(part, 3, { network: made })).rejects.toThrow("killed");
    made.failsAtRun = Number.POSITIVE_INFINITY;
    const shares: number[] = [];
    expect(await help(part, 3, { network: made, onProgress: (share) => shares.push(share) })).toMatchObject({
      kind: "made",
    });
    // Each of the two networks may repeat one segment.
    expect(made.runs.length).toBeLessThanOrEqual(whole.runs.length + 2);
    expect(shares.at(-1)).toBeCloseTo(1);
  });

  it("[Q17] is declined if weights, settings or arithmetic differ", async () => {
    const part = (await offered()).getPart("gain/plain");
    const other = makeNetwork();
    other.getNetwork = async () => ({ network: other, runsOn: "gpu" });
    expect(await help(part, 1, { network: other })).toEqual({ kind: "unfit" });
    expect(other.runs).toEqual([]);
    const unknown = { ...part, passes: part.passes.map((pass) => ({ ...pass, network: "unknown" })) };
    expect(await help(unknown, 1)).toEqual({ kind: "unfit" });
    expect(await help(part, 99)).toEqual({ kind: "unfit" });
  });
});
