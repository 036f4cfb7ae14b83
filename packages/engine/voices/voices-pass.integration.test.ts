import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { loadManifests } from "../manifests/manifest.ts";
import { NetworkStore } from "../networks/network-store.ts";
import { runRequest } from "../request/run-request.ts";
import { readSound, writeSound } from "../support/sound-file.ts";
import type { TargetResult, VoicesTarget } from "../targets/engine-request.ts";
import { layPieces, loadTalkers, makeTalk } from "./support/two-talkers.ts";

// A window takes the network seconds on idle cores, and many times that on busy ones.
vi.setConfig({ hookTimeout: 1_800_000, testTimeout: 1_800_000 });
const RATE = 48_000;
const folder = mkdtempSync(join(tmpdir(), "stemwright-voices-"));
const networks = new NetworkStore({ threads: 2, cacheDir: join(folder, "cache") });
const manifests = loadManifests();
let talkers: Awaited<ReturnType<typeof loadTalkers>>;

beforeAll(async () => {
  talkers = await loadTalkers();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function takeApart(name: string, planes: Float32Array[], fields: Partial<VoicesTarget> = {}) {
  const inputPath = join(folder, `${name}.wav`);
  const pathPrefix = join(folder, `${name}-voice`);
  writeSound(inputPath, planes, RATE);
  let result: TargetResult | undefined;
  const previewed: Record<string, number> = {};
  await runRequest(
    {
      inputPath,
      previews: { storedChunks: {} },
      workDir: join(folder, name),
      targets: [
        {
          kind: "voices",
          key: "v",
          model: "multi_voice",
          pathPrefix,
          formats: ["wav"],
          hasResidual: true,
          ...fields,
        },
      ],
    },
    {
      networks,
      manifests,
      report: {
        onTargetDone: (_, done) => {
          result = done;
        },
        onTargetFailed: (_, error) => Promise.reject(error),
        onPreview: (news) => {
          if (news.kind === "failed") throw new Error(news.message);
          previewed[news.track] = news.chunks;
        },
      },
    },
  );
  const read = (suffix: string) => readSound(`${pathPrefix}_${suffix}.wav`).planes;
  const { voices } = JSON.parse(readFileSync(`${pathPrefix}.json`, "utf8")) as {
    voices: { name: string; segments: { start: number; end: number; confidence: number }[] }[];
  };
  return { result, read, voices, previewed };
}

const energy = (plane: Float32Array | undefined, from = 0, to = 1e9) =>
  (plane ?? new Float32Array())
    .subarray(Math.round(from * RATE), Math.round(to * RATE))
    .reduce((sum, value) => sum + value * value, 0);
const levelDb = (part: number, whole: number) => 10 * Math.log10(part / whole + 1e-12);

describe("[VO1] two people in turn, the second interrupting the first", () => {
  let made: Awaited<ReturnType<typeof takeApart>>;
  let input: Float32Array[];
  let times: { spanish: number; english: number; end: number };

  beforeAll(async () => {
    ({ planes: input, times } = makeTalk(talkers));
    made = await takeApart("talk", input);
  });

  it("has two voices, numbered in order of appearance, each silent while the other speaks alone", () => {
    expect(made.result?.voiceCount).toBe(2);
    const [[first], [second]] = [made.read("01"), made.read("02")] as const;
    const { spanish: from, english: back } = times;
    const alone = { from: from + 1, to: back - 1 };
    expect(levelDb(energy(first, alone.from, alone.to), energy(input[0], alone.from, alone.to))).toBeLessThan(
      -50,
    );
    expect(levelDb(energy(second, 0.5, from - 1), energy(input[0], 0.5, from - 1))).toBeLessThan(-50);
    expect(levelDb(energy(second, back + 1, times.end), energy(input[0], back + 1, times.end))).toBeLessThan(
      -50,
    );
    // No speech is lost.
    expect(levelDb(energy(made.read("residual")[0]), energy(input[0]))).toBeLessThan(-15);
  });

  it("keeps rate and channels, and with the residual adds up to the input", () => {
    const voices = [made.read("01"), made.read("02"), made.read("residual")];
    input.forEach((plane, channel) => {
      const lack = plane.map((value, n) =>
        voices.reduce((rest, planes) => rest - (planes[channel]?.[n] ?? 0), value),
      );
      expect(lack.reduce((most, value) => Math.max(most, Math.abs(value)), 0)).toBeLessThan(1e-6);
    });
  });

  it("[PV1] has previews of each voice and of the residual, as long as the input's", () => {
    const { input: chunks } = made.previewed;
    expect(chunks).toBeGreaterThan(1);
    expect(made.previewed).toEqual({
      input: chunks,
      "v-voice-01": chunks,
      "v-voice-02": chunks,
      "v-residual": chunks,
    });
  });

  it("[VO3] lists each voice's segments with their confidence", () => {
    expect(made.voices.map(({ name }) => name)).toEqual(["voice_01", "voice_02"]);
    const [first, second] = made.voices;
    expect(first?.segments[0]?.start).toBeLessThan(0.5);
    expect(second?.segments[0]?.start).toBeGreaterThan(times.spanish - 1);
    expect(second?.segments.at(-1)?.end).toBeLessThan(times.english + 0.5);
    for (const { segments } of made.voices) {
      for (const { start, end, confidence } of segments) {
        expect(end).toBeGreaterThan(start);
        expect(confidence).toBeGreaterThan(0);
        expect(confidence).toBeLessThanOrEqual(1);
      }
    }
  });
});

it("[VO2] one person gets two files with two_speaker, of which the second is silent, and one with n_speaker", async () => {
  const { english } = talkers;
  const planes = layPieces([{ talker: english, atSeconds: 0.5 }], {
    seconds: Math.ceil(english.seconds + 1),
  });
  const two = await takeApart("alone-two", planes, { variant: "two_speaker" });
  expect(two.result?.voiceCount).toBe(2);
  expect(two.voices.map(({ name }) => name)).toEqual(["voice_two_speaker_01", "voice_two_speaker_02"]);
  expect(energy(two.read("02")[0])).toBe(0);
  expect(levelDb(energy(two.read("01")[0]), energy(planes[0]))).toBeGreaterThan(-0.5);
  const any = await takeApart("alone-any", planes, { variant: "n_speaker" });
  expect(any.result?.voiceCount).toBe(1);
});

it("[VO3] without a format of sound only the json is written", async () => {
  const planes = [Float32Array.from({ length: 2 * RATE }, (_, n) => 0.1 * Math.sin(n / 7))];
  const { voices, result } = await takeApart("untold", planes, { formats: [] });
  expect(voices.map(({ name }) => name)).toEqual(["voice_01", "voice_02"]);
  expect(result?.voiceCount).toBe(2);
  expect(readdirSync(folder).filter((file) => file.startsWith("untold-voice"))).toEqual([
    "untold-voice.json",
  ]);
});

it("[VO2] without speech, the voices are silent and the residual has everything", async () => {
  const planes = [Float32Array.from({ length: 2 * RATE }, (_, n) => 0.1 * Math.sin(n / 7))];
  const { read, voices } = await takeApart("nobody", planes);
  expect(voices.every(({ segments }) => segments.length === 0)).toBe(true);
  expect(read("residual")[0]).toEqual(planes[0]);
});
