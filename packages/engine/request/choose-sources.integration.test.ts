import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { EngineError } from "../engine-error.ts";
import { loadManifests, type StemManifest } from "../manifests/manifest.ts";
import { NetworkStore } from "../networks/network-store.ts";
import type { Networks } from "../networks/networks.ts";
import { GainNetwork, makeGainManifest } from "../support/gain-network.ts";
import { readSound, writeSound } from "../support/sound-file.ts";
import { makeSyntheticSong } from "../support/synthetic-song.ts";
import type { EngineTarget } from "../targets/engine-request.ts";
import { loadTalkers, makeTalk } from "../voices/support/two-talkers.ts";
import { runRequest } from "./run-request.ts";
import { estimateTargetBytes } from "./work-bytes.ts";

const RATE = 44_100;
const SEGMENT_FRAMES = 4 * RATE;
const SONG_SEGMENTS = 4;
const SONG = { sampleRateHz: RATE, lengthFrames: 12 * RATE };

const folder = mkdtempSync(join(tmpdir(), "stemwright-source-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const store = new NetworkStore({ threads: 2, cacheDir: join(folder, "cache") });
const GAIN = makeGainManifest(SEGMENT_FRAMES);
const listeners = loadManifests({ speechNetwork: "whisper-tiny" }).filter(({ family }) =>
  ["whisper", "silero-vad", "music-detector"].includes(family),
);

/** The real networks, except for the one that separates stems. */
const makeNetworks = (network: GainNetwork): Networks => ({
  getNetwork: () => network.getNetwork(),
  getWhisper: (manifest) => store.getWhisper(manifest),
  getVoiceActivity: (manifest) => store.getVoiceActivity(manifest),
  getMusicDetector: (manifest) => store.getMusicDetector(manifest),
  getMusicAnalyser: (manifest) => store.getMusicAnalyser(manifest),
  getVoiceSeparator: (manifest) => store.getVoiceSeparator(manifest),
  getSpeakerNetworks: (manifests) => store.getSpeakerNetworks(manifests),
});

/** Transcribes an input and separates its drums, with a network that records the requested stems. */
async function transcribe(
  name: string,
  inputPath: string,
  options: {
    broken?: Partial<Networks>;
    onTargetFailed?: (key: string, error: Error) => void;
    gain?: StemManifest;
  } = {},
) {
  const network = new GainNetwork(SEGMENT_FRAMES);
  const { broken, onTargetFailed = (_, error) => Promise.reject(error), gain = GAIN } = options;
  const networks = { ...makeNetworks(network), ...broken };
  const workDir = join(folder, name);
  const path = join(folder, `${name}.json`);
  const drums = join(folder, `${name}.wav`);
  await runRequest(
    {
      inputPath,
      workDir,
      targets: [
        {
          kind: "text",
          key: "text",
          model: "transcription",
          language: "en",
          files: [{ format: "json", path }],
        },
        {
          kind: "sound",
          key: "drums",
          model: "drums",
          files: [{ output: "stem", format: "wav", path: drums }],
        },
      ],
    },
    { networks, manifests: [gain, ...listeners], report: { onTargetFailed } },
  );
  const { lines } = JSON.parse(readFileSync(path, "utf8")) as { lines: unknown[] };
  const readFrom = ["input", "vocals"].filter((source) =>
    existsSync(join(workDir, "whisper-tiny", `${source}-en`)),
  );
  return { lines, readFrom, runs: network.runs };
}

describe("the source of a transcription", () => {
  it("[V9] is the vocals if there is music, from the same pass as other targets", async () => {
    const inputPath = join(folder, "song.wav");
    writeSound(inputPath, makeSyntheticSong(SONG), RATE);
    const { readFrom, runs } = await transcribe("song", inputPath);
    expect(readFrom).toEqual(["vocals"]);
    expect(runs).toEqual(Array.from({ length: SONG_SEGMENTS }, () => ["drums", "vocals"]));
  });

  it("[V9] is the input if there is speech without music", async () => {
    const { lines, readFrom, runs } = await transcribe(
      "speech",
      join(import.meta.dirname, "../transcription/support/english.opus"),
    );
    expect(readFrom).toEqual(["input"]);
    expect(lines.length).toBeGreaterThan(0);
    expect(runs).toEqual(runs.map(() => ["drums"]));
  });

  it("[T15] is the input if music can't be detected or vocals can't be made", async () => {
    const inputPath = join(folder, "unheard.wav");
    writeSound(inputPath, makeSyntheticSong(SONG), RATE);
    const missing = () => Promise.reject(new EngineError("network-missing", "Its weights are missing."));
    const deaf = await transcribe("deaf", inputPath, { broken: { getMusicDetector: missing } });
    expect(deaf.readFrom).toEqual(["input"]);
    expect(deaf.runs).toEqual(Array.from({ length: SONG_SEGMENTS }, () => ["drums"]));
    const failed: string[] = [];
    const whole = await transcribe("whole", inputPath, {
      broken: { getNetwork: missing },
      onTargetFailed: (key) => failed.push(key),
    });
    expect({ readFrom: whole.readFrom, failed }).toEqual({ readFrom: ["input"], failed: ["drums"] });
  });

  it("[V7] counts as another if its network changed: the words of a killed run are not kept", async () => {
    const inputPath = join(folder, "singing.wav");
    const { planes } = makeTalk(await loadTalkers());
    const song = makeSyntheticSong({ sampleRateHz: 48_000, lengthFrames: planes[0]?.length ?? 0 });
    const mix = planes.map((plane, channel) =>
      plane.map((value, n) => value + 0.3 * (song[channel]?.[n] ?? 0)),
    );
    writeSound(inputPath, mix, 48_000);
    expect((await transcribe("sung", inputPath)).readFrom).toEqual(["vocals"]);
    const deaf = {
      getWhisper: () => Promise.reject(new EngineError("network-missing", "It must not be needed.")),
    };
    const failed: string[] = [];
    const onTargetFailed = (key: string) => failed.push(key);
    await transcribe("sung", inputPath, { broken: deaf, onTargetFailed });
    expect(failed).toEqual([]);
    const gain = { ...GAIN, weights: { ...GAIN.weights, sha256: "2".repeat(64) } };
    await transcribe("sung", inputPath, { broken: deaf, onTargetFailed, gain });
    expect(failed).toEqual(["text"]);
  });

  it("[V5] instrumental music gives no lines", async () => {
    const inputPath = join(folder, "chords.wav");
    const [left = new Float32Array(), right = new Float32Array()] = makeSyntheticSong(SONG);
    // Voice, bass and drums are identical in both channels: their difference is chords and the hi-hat.
    const chords = left.map((value, n) => value - (right[n] ?? 0));
    writeSound(inputPath, [chords, chords], RATE);
    const { lines, readFrom } = await transcribe("chords", inputPath);
    expect({ lines, readFrom }).toEqual({ lines: [], readFrom: ["vocals"] });
  });
});

describe("the source of voices", () => {
  const sizeOf = (path: string): number =>
    statSync(path).isDirectory()
      ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0)
      : statSync(path).size;

  /** Separates the voices of speech with a quiet song behind it; the dialogue is the input times a gain. */
  async function takeApart(name: string, gain: number) {
    const talkers = await loadTalkers();
    const { planes } = makeTalk(talkers);
    const song = makeSyntheticSong({ sampleRateHz: 48_000, lengthFrames: planes[0]?.length ?? 0 });
    const mix = planes.map((plane, channel) =>
      plane.map((value, n) => value + 0.1 * (song[channel]?.[n] ?? 0)),
    );
    const inputPath = join(folder, `${name}.wav`);
    writeSound(inputPath, mix, 48_000);
    const gains = makeGainManifest(SEGMENT_FRAMES);
    const dialogue = { ...gains, id: "dialogue", stems: ["dialogue"], serves: [] };
    const network = new GainNetwork(SEGMENT_FRAMES);
    network.separate = async (segment, stems) =>
      new Map(stems.map((stem) => [stem, segment.map((plane) => plane.map((value) => gain * value))]));
    const pathPrefix = join(folder, `${name}-voice`);
    const workDir = join(folder, name);
    const targets: EngineTarget[] = [
      { kind: "voices", key: "v", model: "multi_voice", pathPrefix, formats: ["wav"], hasResidual: true },
    ];
    const others = loadManifests().filter(({ family }) => family !== "demucs" && family !== "band-split");
    const manifests = [dialogue, ...others];
    await runRequest(
      { inputPath, workDir, targets },
      {
        networks: makeNetworks(network),
        manifests,
        report: { onTargetFailed: (_, error) => Promise.reject(error) },
      },
    );
    const second = (planes: readonly Float32Array[]) =>
      planes[0]?.subarray(48_000, 96_000) ?? new Float32Array();
    const whole = second(mix);
    const correlate = (part: Float32Array) =>
      part.reduce((sum, value, n) => sum + value * (whole[n] ?? 0), 0);
    /** How much of the mix is in a file while the first voice speaks alone. */
    const findShare = (suffix: string) =>
      correlate(second(readSound(`${pathPrefix}_${suffix}.wav`).planes)) / correlate(whole);
    const durationSeconds = (mix[0]?.length ?? 0) / 48_000;
    const media = { durationSeconds, sampleRateHz: 48_000, channels: mix.length };
    const estimatedBytes = estimateTargetBytes(targets, media, manifests);
    return {
      voice: findShare("01"),
      residual: findShare("residual"),
      diskShare: sizeOf(workDir) / estimatedBytes,
    };
  }

  it("[VO1] [T20] is the dialogue if there is music, on no more disk than estimated, and the residual has the rest", async () => {
    const { voice, residual, diskShare } = await takeApart("music", 0.5);
    expect(voice).toBeCloseTo(0.5, 2);
    expect(residual).toBeCloseTo(0.5, 2);
    expect(diskShare).toBeGreaterThan(0.25);
    expect(diskShare).toBeLessThan(1);
  });

  it("[VO1] is the input if the dialogue has no speech", async () => {
    expect((await takeApart("sung", 0)).voice).toBeCloseTo(1, 2);
  });
});
