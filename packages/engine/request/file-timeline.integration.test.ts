import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadManifests } from "../manifests/manifest.ts";
import { encodeSignal } from "../media/support/encode-and-decode.ts";
import { makeVideo } from "../media/support/make-video.ts";
import { readPackets } from "../media/support/read-packets.ts";
import { remux } from "../media/support/remux.ts";
import { NetworkStore } from "../networks/network-store.ts";
import type { Networks } from "../networks/networks.ts";
import { GainNetwork, makeGainManifest } from "../support/gain-network.ts";
import { readSound } from "../support/sound-file.ts";
import type { EngineTarget, TargetResult } from "../targets/engine-request.ts";
import { loadTalkers, makeTalk } from "../voices/support/two-talkers.ts";
import { runRequest } from "./run-request.ts";

const RATE_HZ = 48_000;
const SEGMENT_FRAMES = 4 * RATE_HZ;
const LATE_SECONDS = 4;
const LATE_FRAMES = LATE_SECONDS * RATE_HZ;

const folder = mkdtempSync(join(tmpdir(), "stemwright-timeline-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const inFolder = (name: string) => join(folder, name);
const inputPath = inFolder("late.mkv");
const store = new NetworkStore({ threads: 2, cacheDir: inFolder("cache") });
const gain = new GainNetwork(SEGMENT_FRAMES);
/** The real networks, except for the one that separates stems. */
const networks: Networks = {
  getNetwork: () => gain.getNetwork(),
  getWhisper: (manifest) => store.getWhisper(manifest),
  getVoiceActivity: (manifest) => store.getVoiceActivity(manifest),
  getMusicDetector: (manifest) => store.getMusicDetector(manifest),
  getMusicAnalyser: (manifest) => store.getMusicAnalyser(manifest),
  getVoiceSeparator: (manifest) => store.getVoiceSeparator(manifest),
  getSpeakerNetworks: (manifests) => store.getSpeakerNetworks(manifests),
};
const manifests = [
  makeGainManifest(SEGMENT_FRAMES),
  ...loadManifests({ speechNetwork: "whisper-tiny" }).filter(
    ({ family }) => family !== "demucs" && family !== "band-split",
  ),
];

type Timed = { start: number; end: number };
type Words = { lines: { words: Timed[] }[]; duration: number };
type Voices = { voices: { segments: Timed[] }[] };

/** Targets on either timeline, in files that begin with the name. */
function makeTargets(name: "file" | "audio"): EngineTarget[] {
  const isOnFileTimeline = name === "file";
  const path = (rest: string) => inFolder(`${name}-${rest}`);
  const common = (key: string, model: string) => ({ key: `${name} ${key}`, model, isOnFileTimeline });
  const text = (format: "json" | "srt") => ({ format, path: path(`words.${format}`) });
  const sound = (output: "stem" | "residual", format: "wav" | "mp4") => ({
    ...{ output, format },
    path: path(`${output}.${format}`),
  });
  return [
    { ...common("words", "transcription"), kind: "text", language: "en", files: [text("json"), text("srt")] },
    {
      ...common("music", "music_detection"),
      kind: "detection",
      files: [{ format: "json", path: path("music.json") }],
    },
    {
      ...common("vocals", "vocals"),
      kind: "sound",
      files: [sound("stem", "wav"), sound("residual", "wav"), sound("stem", "mp4")],
    },
    {
      ...common("voices", "multi_voice"),
      ...{ kind: "voices", pathPrefix: path("voice"), formats: ["wav"], hasResidual: false },
    },
  ];
}

const readJson = <Content>(name: string) => JSON.parse(readFileSync(inFolder(name), "utf8")) as Content;
const readPlane = (name: string) => readSound(inFolder(name)).planes[0] ?? new Float32Array();
const findFirst = (plane: Float32Array) => plane.findIndex((sample) => sample !== 0);

describe("[O31] a video whose audio starts four seconds in", () => {
  const results = new Map<string, TargetResult>();
  beforeAll(async () => {
    const { planes } = makeTalk(await loadTalkers(), { channels: 1 });
    const [plane = new Float32Array()] = planes;
    makeVideo(inFolder("silent.mp4"), 50);
    await encodeSignal(
      { sampleRateHz: RATE_HZ, channels: 1, samples: plane },
      { files: [{ path: inFolder("prompt.mp4"), format: "mp4" }], pictureFrom: inFolder("silent.mp4") },
    );
    remux(inFolder("prompt.mp4"), inputPath, { delaySeconds: LATE_SECONDS });
    await runRequest(
      { inputPath, workDir: inFolder("work"), targets: [...makeTargets("file"), ...makeTargets("audio")] },
      {
        networks,
        manifests,
        report: {
          onTargetDone: (key, result) => void results.set(key, result),
          onTargetFailed: (_, error) => Promise.reject(error),
        },
      },
    );
  });

  it("tells every target by how much, and processes and charges the audio alone", () => {
    expect(results.size).toBe(8);
    const seconds = readPlane("audio-stem.wav").length / RATE_HZ;
    for (const { audioStartSeconds, durationSeconds } of results.values()) {
      expect(audioStartSeconds).toBeCloseTo(LATE_SECONDS, 2);
      expect(durationSeconds).toBe(seconds);
    }
  });

  it("has words, subtitles and music regions at the times of the file, or of the audio", () => {
    const timesOf = (name: string) =>
      readJson<Words>(`${name}-words.json`).lines.flatMap(({ words }) => words.map(({ start }) => start));
    const [inFile = [], inAudio = []] = ["file", "audio"].map(timesOf);
    expect(inFile.length).toBeGreaterThan(3);
    expect(inFile.map((seconds, n) => seconds - (inAudio[n] ?? 0))).toEqual(
      inFile.map(() => expect.closeTo(LATE_SECONDS, 2)),
    );
    const [cue = ""] = readFileSync(inFolder("file-words.srt"), "utf8").match(/[\d:,]+ -->/) ?? [];
    expect(Number(cue.slice(6, 8))).toBeGreaterThanOrEqual(LATE_SECONDS);
    const regions = ["file", "audio"].map((name) => readJson<{ start_time: number }[]>(`${name}-music.json`));
    expect(regions[0]?.length).toBe(regions[1]?.length);
  });

  it("has stems, residuals and voices without silence before the audio, or with as much as the file has", () => {
    for (const name of ["stem", "residual", "voice_01"]) {
      const [inFile, inAudio] = [readPlane(`file-${name}.wav`), readPlane(`audio-${name}.wav`)];
      expect(inFile.length - inAudio.length).toBe(LATE_FRAMES);
      expect(findFirst(inFile.subarray(0, LATE_FRAMES))).toBe(-1);
      expect(inFile.subarray(LATE_FRAMES)).toEqual(inAudio);
    }
    const startsOf = (name: string) =>
      readJson<Voices>(`${name}-voice.json`).voices.flatMap(({ segments }) =>
        segments.map(({ start }) => start),
      );
    const [inFile = [], inAudio = []] = ["file", "audio"].map(startsOf);
    expect(inFile).toEqual(inAudio.map((seconds) => expect.closeTo(seconds + LATE_SECONDS, 2)));
  });

  it("has both in sync with the picture", () => {
    const startOf = (name: string) => readPackets(inFolder(name), "audio")[0]?.ptsSeconds;
    expect(startOf("audio-stem.mp4")).toBeCloseTo(LATE_SECONDS, 1);
    expect(startOf("file-stem.mp4")).toBeCloseTo(0, 1);
    for (const name of ["audio", "file"])
      expect(readPackets(inFolder(`${name}-stem.mp4`), "video")[0]?.ptsSeconds).toBeCloseTo(0, 2);
  });

  it("fails a target whose silence would take more than is allowed, and no other", async () => {
    const failed: string[] = [];
    // What is decoded already is not refused by the length in its header.
    const vocals = ["file", "audio"].flatMap((name) => makeTargets(name as "file").slice(2, 3));
    const bytes = readPlane("audio-stem.wav").length * Float32Array.BYTES_PER_ELEMENT;
    await runRequest(
      { inputPath, workDir: inFolder("work"), targets: vocals, maxDecodedBytes: bytes + 1000 },
      {
        networks,
        manifests,
        report: { onTargetFailed: (key, { kind }) => void failed.push(`${key} ${kind}`) },
      },
    );
    expect(failed).toEqual(["file vocals input-too-large"]);
  });
});
