import { mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { EngineProcess } from "../process/engine-process.ts";
import { writeSound } from "../support/sound-file.ts";
import { makeSyntheticSong } from "../support/synthetic-song.ts";

const SAMPLE_RATE_HZ = 48_000;
const SONG_START_SECONDS = 8;
const SECONDS = 20;

const folder = mkdtempSync(join(tmpdir(), "stemwright-detect-"));
const engine = new EngineProcess();
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

function writeRecording(path: string): void {
  const lengthFrames = (SECONDS - SONG_START_SECONDS) * SAMPLE_RATE_HZ;
  const planes = makeSyntheticSong({ sampleRateHz: SAMPLE_RATE_HZ, lengthFrames }).map((song) => {
    const plane = new Float32Array(SECONDS * SAMPLE_RATE_HZ);
    plane.set(song, SONG_START_SECONDS * SAMPLE_RATE_HZ);
    return plane;
  });
  writeSound(path, planes, SAMPLE_RATE_HZ);
}

describe("music detection", () => {
  const inputPath = join(folder, "recording.wav");
  const files = (["json", "txt"] as const).map((format) => ({
    format,
    path: join(folder, `music.${format}`),
  }));
  const target = { kind: "detection" as const, key: "music", model: "music_detection", files };
  const request = { inputPath, workDir: join(folder, "work"), targets: [target] };
  const read = () => files.map(({ path }) => readFileSync(path, "utf8"));

  it("[H1] finds a song from its entry to the end, in json and in txt", async () => {
    writeRecording(inputPath);
    const progress: number[] = [];
    await engine.run(request, {
      onProgress: (told) => void progress.push(...told.map(({ fraction }) => fraction)),
    });
    const [json = "", txt = ""] = read();
    const [region, ...others] = JSON.parse(json) as {
      start_time: number;
      end_time: number;
      confidence: number;
    }[];
    expect(others).toEqual([]);
    expect(region?.start_time).toBeGreaterThan(SONG_START_SECONDS - 0.5);
    expect(region?.start_time).toBeLessThan(SONG_START_SECONDS + 0.5);
    expect(region?.end_time).toBeCloseTo(SECONDS, 0);
    expect(region?.confidence).toBeGreaterThan(0.8);
    expect(txt.split("\t")).toHaveLength(3);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(1);
  });

  it("[H3] resumes after a killed run and writes the same file", async () => {
    const whole = read();
    truncateSync(join(folder, "work/music-detection/music.f32"), 90 * Float32Array.BYTES_PER_ELEMENT + 2);
    await engine.run(request);
    expect(read()).toEqual(whole);
  });
});
