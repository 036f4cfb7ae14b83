import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { probeMedia } from "@stemwright/engine";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTone } from "../../test/support/audio.ts";
import { makeTempDir } from "../../test/support/temp-dir.ts";
import { encodeSignal } from "../engine/media/support/encode-and-decode.ts";
import { runCli, startCli } from "./support/run-cli.ts";

let folder: string;
beforeAll(async () => {
  folder = await makeTempDir("cli-local");
  const { channels, sampleRateHz } = makeTone({ sampleRateHz: 44_100, channels: 1, lengthFrames: 44_100 });
  const files = [{ path: join(folder, "song.mp3"), format: "mp3" as const }];
  const signal = { sampleRateHz, channels: 1, samples: channels[0] ?? new Float32Array() };
  await encodeSignal(signal, { files, tags: { title: "A song", artist: "Somebody" } });
  await writeFile(join(folder, "broken.wav"), "no sound");
});
afterAll(() => rm(folder, { recursive: true }));

describe("with the local engine", () => {
  it("[S21] [O20] separate writes the stems next to the song, with its tags, and leaves no checkpoints", async () => {
    const { exitCode, stdout, stderr } = await runCli(["separate", "song.mp3", "--format", "flac"], {
      cwd: folder,
    });
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining("song.mp3: starting")]);
    const paths = ["vocals", "instrumental"].map((stem) => join(folder, "song", `${stem}.flac`));
    expect(stdout).toBe(`${paths.join("\n")}\n`);
    const modes = await Promise.all(paths.map(async (path) => (await stat(path)).mode & 0o777));
    expect(modes).toEqual(paths.map(() => 0o666 & ~process.umask()));
    for (const path of paths)
      expect(await probeMedia(path)).toMatchObject({ tags: { title: "A song", artist: "Somebody" } });
    await expect(stat(join(folder, ".cache/stemwright/work"))).resolves.toMatchObject({ nlink: 2 });
  });

  it("[S21] voices writes a file for each of two speakers, and who speaks when", async () => {
    const args = ["voices", "song.mp3", "--format", "flac", "--output", "people/"];
    const { exitCode, stdout, stderr } = await runCli(args, { cwd: folder });
    expect(exitCode, stderr).toBe(0);
    const files = ["voice_01.flac", "voice_02.flac", "voice.json"];
    expect(stdout).toBe(files.map((name) => `${join(folder, "people/song", name)}\n`).join(""));
    // A tone contains no voice.
    const { voices } = JSON.parse(await readFile(join(folder, "people/song/voice.json"), "utf8"));
    expect(voices).toEqual(["voice_01", "voice_02"].map((name) => ({ name, segments: [] })));
  });

  it("[S25] Ctrl-C stops within seconds, and says that the same command resumes", async () => {
    const { child, ended, stderr } = startCli(["detect", "song.mp3"], { cwd: folder });
    await expect.poll(stderr).toContain("starting");
    child.kill("SIGINT");
    const { exitCode } = await ended;
    expect(stderr()).toContain("the same command resumes from here");
    expect(exitCode).toBe(130);
    expect((await runCli(["detect", "song.mp3"], { cwd: folder })).exitCode).toBe(0);
    expect(await stat(join(folder, "song.music.json"))).toBeDefined();
  });

  it("[S22] a file without audio is reported in a sentence", async () => {
    const { exitCode, stderr } = await runCli(["detect", "broken.wav"], { cwd: folder });
    expect(stderr).toMatch(/broken\.wav: failed: The file is not audio/);
    expect(exitCode).toBe(1);
  });
});
