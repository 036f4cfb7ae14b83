import { mkdtempSync, readFileSync, rmSync, truncateSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { EngineProcess } from "../process/engine-process.ts";
import { writeSound } from "../support/sound-file.ts";
import type { MusicAnalysis } from "./music-analysis.ts";
import { ROW_WIDTH } from "./score-rows.ts";

const RATE_HZ = 22_050;
const folder = mkdtempSync(join(tmpdir(), "stemwright-analyse-"));
const engine = new EngineProcess();
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true, force: true });
});

type Bar = { bpm: number; beats: number /** Midi notes of the chord, the lowest first. */; chord: number[] };

/** Bass drum and snare, hats between them, a bass note and a chord of plucked harmonics on each beat. */
function play(bars: readonly Bar[]): Float32Array {
  const seconds = bars.reduce((sum, { bpm, beats }) => sum + (60 * beats) / bpm, 1);
  const sound = new Float32Array(Math.ceil(seconds * RATE_HZ));
  let seed = 1;
  const noise = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 31 - 1;
  };
  const add = (time: number, length: number, wave: (age: number) => number) => {
    const start = Math.round(time * RATE_HZ);
    for (let n = 0; n < length * RATE_HZ && start + n < sound.length; n++)
      sound[start + n]! += wave(n / RATE_HZ);
  };
  const pluck = (note: number, gain: number, decay: number) => (age: number) => {
    const hz = 440 * 2 ** ((note - 69) / 12);
    let sum = 0;
    for (let k = 1; k <= 5; k++) sum += Math.sin(2 * Math.PI * hz * k * age) / k ** 1.5;
    return gain * sum * Math.exp(-age * decay) * Math.min(1, age * 200);
  };
  const kick = (age: number) =>
    0.8 * Math.exp(-age * 14) * Math.sin(2 * Math.PI * (48 * age + 4 * (1 - Math.exp(-30 * age))));
  let time = 0.3;
  for (const { bpm, beats, chord } of bars) {
    for (let beat = 0; beat < beats; beat++) {
      const length = 60 / bpm;
      if (beat === 0 || (beats === 4 && beat === 2)) add(time, 0.25, kick);
      else add(time, 0.15, (age) => 0.4 * noise() * Math.exp(-age * 30));
      add(time + length / 2, 0.05, (age) => 0.08 * noise() * Math.exp(-age * 80));
      if (beat === 0) add(time, beats * length, pluck(chord[0]! - 12, 0.35, 1.5));
      for (const note of chord) add(time, 1.2 * length, pluck(note, 0.14, 2.5));
      time += length;
    }
  }
  return sound.map((value) => 0.5 * value);
}

const C = [48, 52, 55];
const F = [53, 57, 60];
const G = [55, 59, 62];
const A_MINOR = [57, 60, 64];
const transpose = (chord: readonly number[], by: number) => chord.map((note) => note + by);
const repeat = (bars: readonly Bar[], times: number) => Array.from({ length: times }, () => bars).flat();
const bar = (bpm: number, beats: number) => (chord: number[]) => ({ bpm, beats, chord });

async function analyse(name: string, planes: Float32Array[]): Promise<MusicAnalysis> {
  const inputPath = join(folder, `${name}.wav`);
  writeSound(inputPath, planes, RATE_HZ);
  const path = join(folder, `${name}.json`);
  const files = [{ format: "json" as const, path }];
  const target = { kind: "analysis" as const, key: "a", model: "music_analysis", files };
  await engine.run({ inputPath, workDir: join(folder, name), targets: [target] });
  return JSON.parse(readFileSync(path, "utf8")) as MusicAnalysis;
}

describe("music analysis", () => {
  const progression = [C, A_MINOR, F, G];
  const song = play([...repeat(progression.map(bar(120, 4)), 4), ...repeat(progression.map(bar(92, 4)), 4)]);

  it("[MA1] [MA3] [MA4] hears beats, bars, a change of tempo, chords and key", async () => {
    const found = await analyse("song", [song]);
    expect(found.timeSignature).toBe("4/4");
    expect(found.tempo.map(({ bpm }) => Math.round(bpm))).toEqual([120, 92]);
    const bars = Array.from({ length: 32 }, (_, n) => 0.3 + (n < 16 ? 2 * n : 32 + ((n - 16) * 240) / 92));
    const downbeats = found.beats.filter(({ beat }) => beat === 1);
    const missed = bars.filter((time) => downbeats.every((beat) => Math.abs(beat.time - time) > 0.07));
    expect(missed).toEqual([]);
    expect(downbeats.length).toBeLessThanOrEqual(33);
    expect(found.key).toBe("C major");
    expect(found.chords.slice(0, 5).map(({ label }) => label.split("/")[0])).toEqual([
      "C:maj",
      expect.stringMatching(/^A:min/),
      "F:maj",
      "G:maj",
      "C:maj",
    ]);
    expect(Math.abs(found.tuningCents!)).toBeLessThanOrEqual(10);
    expect(found.loudness.integratedLufs).toBeLessThan(0);
  });

  it("[MA2] [MA5] hears 3/4 in another key", async () => {
    const waltz = progression.map((chord) => transpose(chord, 2)).map(bar(140, 3));
    const found = await analyse("waltz", [play(repeat(waltz, 6))]);
    expect(found.timeSignature).toBe("3/4");
    expect(Math.abs(found.bpm! - 140)).toBeLessThan(2);
    expect(found.key).toBe("D major");
  });

  it("[MA1] says where there is no beat, and nothing of silence", async () => {
    const pad = Float32Array.from({ length: 20 * RATE_HZ }, (_, n) => {
      const t = n / RATE_HZ;
      const swell = 0.05 * (1 - Math.cos((2 * Math.PI * t) / 20));
      return swell * [220, 277.18, 329.63].reduce((sum, hz) => sum + Math.sin(2 * Math.PI * hz * t), 0);
    });
    expect(await analyse("pad", [pad])).toMatchObject({
      bpm: null,
      timeSignature: null,
      beats: [],
      tempo: [],
    });
    expect(await analyse("silence", [new Float32Array(5 * RATE_HZ)])).toEqual({
      duration: 5,
      ...{ bpm: null, timeSignature: null, key: null, keyConfidence: null, tuningCents: null },
      ...{ beats: [], tempo: [], keys: [], sections: [] },
      chords: [{ start: 0, end: 5, label: "N" }],
      loudness: { integratedLufs: null, truePeakDbtp: null, rangeLu: null },
    });
  });

  it("[MA7] [MA9] resumes after a killed run, and writes a click track of the input's length, rate and channels", async () => {
    const inputPath = join(folder, "stereo.wav");
    writeSound(inputPath, [song, song], RATE_HZ);
    const list = (["json", "mid", "click", "lab", "csv"] as const).map((format) => ({
      format,
      path: join(folder, `stereo.${format}`),
    }));
    const target = { kind: "analysis" as const, key: "a", model: "music_analysis", files: list };
    const request = { inputPath, workDir: join(folder, "stereo"), targets: [target] };
    const read = () => list.map(({ path }) => readFileSync(path));
    const progress: number[] = [];
    await engine.run(request, {
      onProgress: (told) => void progress.push(...told.map(({ fraction }) => fraction)),
    });
    const whole = read();
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    truncateSync(join(folder, "stereo/music-analysis/scores.f32"), 250 * ROW_WIDTH * 4 + 2);
    await engine.run(request);
    expect(read().map((file) => file.toString("base64"))).toEqual(
      whole.map((file) => file.toString("base64")),
    );
    const [click] = [list.find(({ format }) => format === "click")!];
    const probe = readFileSync(click.path);
    expect(probe.subarray(0, 4).toString()).toBe("RIFF");
    expect([probe.readUInt16LE(22), probe.readUInt32LE(24)]).toEqual([2, RATE_HZ]);
  });
});
