import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { EngineError } from "../../engine-error.ts";
import { NetworkStore } from "../../networks/network-store.ts";
import type { Networks } from "../../networks/networks.ts";
import { loadManifests } from "../../runtime/manifest.ts";
import { runRequest } from "../run-request.ts";
import { GainNetwork, makeGainManifest } from "../support/gain-network.ts";
import { writeSound } from "../support/sound-file.ts";
import { makeSyntheticSong } from "../support/synthetic-song.ts";

const RATE = 44_100;
const SEGMENT_FRAMES = 4 * RATE;
const SONG_SEGMENTS = 4;
const SONG = { sampleRateHz: RATE, lengthFrames: 12 * RATE };

const folder = mkdtempSync(join(tmpdir(), "stemwright-source-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const store = new NetworkStore({ threads: 2, cacheDir: join(folder, "cache") });
const manifests = [
  makeGainManifest(SEGMENT_FRAMES),
  ...loadManifests({ speechNetwork: "whisper-tiny" }).filter(({ family }) =>
    ["whisper", "silero-vad", "music-detector"].includes(family),
  ),
];

/** Transcribes an input and separates its drums, with a network that records the requested stems. */
async function hear(
  name: string,
  inputPath: string,
  options: { broken?: Partial<Networks>; onTargetFailed?: (key: string, error: Error) => void } = {},
) {
  const network = new GainNetwork(SEGMENT_FRAMES);
  const { broken, onTargetFailed = (_, error) => Promise.reject(error) } = options;
  const networks: Networks = {
    getNetwork: () => network.getNetwork(),
    getWhisper: (manifest) => store.getWhisper(manifest),
    getVoiceActivity: (manifest) => store.getVoiceActivity(manifest),
    getMusicDetector: (manifest) => store.getMusicDetector(manifest),
    getVoiceSeparator: (manifest) => store.getVoiceSeparator(manifest),
    getSpeakerNetworks: (manifests) => store.getSpeakerNetworks(manifests),
    ...broken,
  };
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
    { networks, manifests, report: { onTargetFailed } },
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
    const { readFrom, runs } = await hear("song", inputPath);
    expect(readFrom).toEqual(["vocals"]);
    expect(runs).toEqual(Array.from({ length: SONG_SEGMENTS }, () => ["drums", "vocals"]));
  });

  it("[V9] is the input if there is speech without music", async () => {
    const { lines, readFrom, runs } = await hear("speech", join(import.meta.dirname, "support/english.opus"));
    expect(readFrom).toEqual(["input"]);
    expect(lines.length).toBeGreaterThan(0);
    expect(runs).toEqual(runs.map(() => ["drums"]));
  });

  it("[T15] is the input if music can't be detected or vocals can't be made", async () => {
    const inputPath = join(folder, "unheard.wav");
    writeSound(inputPath, makeSyntheticSong(SONG), RATE);
    const missing = () => Promise.reject(new EngineError("network-missing", "Its weights are missing."));
    const deaf = await hear("deaf", inputPath, { broken: { getMusicDetector: missing } });
    expect(deaf.readFrom).toEqual(["input"]);
    expect(deaf.runs).toEqual(Array.from({ length: SONG_SEGMENTS }, () => ["drums"]));
    const failed: string[] = [];
    const whole = await hear("whole", inputPath, {
      broken: { getNetwork: missing },
      onTargetFailed: (key) => failed.push(key),
    });
    expect({ readFrom: whole.readFrom, failed }).toEqual({ readFrom: ["input"], failed: ["drums"] });
  });

  it("[V5] instrumental music gives no lines", async () => {
    const inputPath = join(folder, "chords.wav");
    const [left = new Float32Array(), right = new Float32Array()] = makeSyntheticSong(SONG);
    // Voice, bass and drums are identical in both channels: their difference is chords and the hi-hat.
    const chords = left.map((value, n) => value - (right[n] ?? 0));
    writeSound(inputPath, [chords, chords], RATE);
    const { lines, readFrom } = await hear("chords", inputPath);
    expect({ lines, readFrom }).toEqual({ lines: [], readFrom: ["vocals"] });
  });
});
