import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { AUDIO_FORMATS } from "./audio-format.ts";
import { openEncoder } from "./open-encoder.ts";
import { probeMedia } from "./probe-media.ts";
import { delaySound } from "./testing/delay-sound.ts";
import { decode, encode } from "./testing/encode-and-decode.ts";
import { makeVideo } from "./testing/make-video.ts";
import { readComment } from "./testing/read-comment.ts";
import { readPackets } from "./testing/read-packets.ts";
import { makeClickTrack, makeNoise } from "./testing/signals.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

const inFolder = makeTemporaryFolder();
const stereo = { sampleRateHz: 44100, channels: 2, channelLayout: "stereo" };

describe("openEncoder", () => {
  it("makes the same bytes of the same sound, however it is cut into blocks", async () => {
    const signal = makeNoise({ sampleRateHz: 44100, channels: 2, lengthFrames: 30_000 });
    const run = async (name: string, blockSamples: number) => {
      const files = AUDIO_FORMATS.map((format) => ({ path: inFolder(`${name}.${format}`), format }));
      await encode(signal, { files, blockSamples, tags: { title: "Same" } });
      const contents = await Promise.all(files.map(({ path }) => readFile(path)));
      return contents.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
    };
    const [one, two] = await Promise.all([run("one", 60_000), run("two", 1234)]);
    expect(two).toEqual(one);
  });

  it("tells the size of each file", async () => {
    const path = inFolder("size.wav");
    const signal = makeNoise({ sampleRateHz: 44100, channels: 1, lengthFrames: 100 });
    const [file] = await encode(signal, { files: [{ path, format: "wav" }] });
    expect(file).toEqual({ path, format: "wav", sizeBytes: (await readFile(path)).length });
  });

  it("writes tags into every format", async () => {
    const comment = "Été; é=1";
    const files = AUDIO_FORMATS.map((format) => ({ path: inFolder(`tagged.${format}`), format }));
    await encode(makeNoise({ ...stereo, lengthFrames: 5000 }), { files, tags: { comment } });
    const comments = files.map(({ path, format }) => [format, readComment(path)]);
    expect(comments).toEqual(AUDIO_FORMATS.map((format) => [format, comment]));
  });

  it("removes its files when it is aborted", async () => {
    const path = inFolder("aborted.wav");
    const encoder = await openEncoder({ ...stereo, files: [{ path, format: "wav" }] });
    await encoder.write(new Float32Array(1000));
    await encoder.abort();
    expect(existsSync(path)).toBe(false);
  });

  it("ends at once by its signal, with the signal's reason", async () => {
    const path = inFolder("signalled.wav");
    const controller = new AbortController();
    const encoder = await openEncoder({
      ...stereo,
      files: [{ path, format: "wav" }],
      signal: controller.signal,
    });
    controller.abort(new Error("changed my mind"));
    await expect(encoder.finish()).rejects.toThrow("changed my mind");
    expect(existsSync(path)).toBe(false);
  });

  it("says what is wrong with an output folder or a layout", async () => {
    const missing = openEncoder({ ...stereo, files: [{ path: inFolder("no/such/x.wav"), format: "wav" }] });
    await expect(missing).rejects.toMatchObject({ kind: "encode-failed" });
    const path = inFolder("mono.wav");
    const wrong = openEncoder({ ...stereo, channelLayout: "mono", files: [{ path, format: "wav" }] });
    await expect(wrong).rejects.toThrow("mono is no layout of 2 channels.");
    expect(existsSync(path)).toBe(false);
  });
});

describe("pictureFrom", () => {
  it("copies the picture bit for bit and keeps it level with the sound", async () => {
    makeVideo(inFolder("silent.mp4"), 50);
    const signal = makeClickTrack({ ...stereo, durationSeconds: 2, clickSeconds: [1] });
    const path = inFolder("with-sound.mp4");
    await encode(signal, { files: [{ path, format: "mp4" }], pictureFrom: inFolder("silent.mp4") });
    const again = [1, 2].map((n) => ({ path: inFolder(`again-${n}.mp4`), format: "mp4" as const }));
    await encode(signal, { files: again, pictureFrom: path });

    const original = readPackets(inFolder("silent.mp4"), "video");
    expect(original).toHaveLength(50);
    expect(original.some(({ ptsSeconds, dtsSeconds }) => ptsSeconds > dtsSeconds)).toBe(true);
    for (const copy of [path, ...again.map((file) => file.path)]) {
      expect(readPackets(copy, "video")).toEqual(original);
      expect((await probeMedia(copy)).hasVideo).toBe(true);
    }
    expect((await decode(path)).lengthFrames).toBe(88_200);
  });

  it("lets the sound start as late as it did in the video", async () => {
    makeVideo(inFolder("prompt.mp4"), 50);
    const signal = makeClickTrack({ ...stereo, durationSeconds: 1.5, clickSeconds: [1] });
    const promptPath = inFolder("prompt-sound.mp4");
    await encode(signal, {
      files: [{ path: promptPath, format: "mp4" }],
      pictureFrom: inFolder("prompt.mp4"),
    });
    delaySound(promptPath, inFolder("late.mkv"), 0.5);
    const path = inFolder("late.mp4");
    const { channelLayout: _, ...late } = await decode(inFolder("late.mkv"));
    await encode(late, { files: [{ path, format: "mp4" }], pictureFrom: inFolder("late.mkv") });
    const [firstPicture] = readPackets(path, "video");
    const [firstSound] = readPackets(path, "audio");
    expect(firstPicture?.ptsSeconds).toBeCloseTo(0, 2);
    // Packets start one encoder delay before the sound in them.
    expect(firstSound?.ptsSeconds).toBeCloseTo(0.5 - 1024 / 44100, 2);
    const bytes = (file: string) => readPackets(file, "video").map((packet) => packet.bytes);
    expect(bytes(path)).toEqual(bytes(inFolder("prompt.mp4")));
  });

  it("changes nothing about outputs that hold no picture", async () => {
    makeVideo(inFolder("picture.mp4"), 5);
    const path = inFolder("sound.m4a");
    const signal = makeNoise({ ...stereo, lengthFrames: 5000 });
    await encode(signal, { files: [{ path, format: "m4a" }], pictureFrom: inFolder("picture.mp4") });
    expect((await probeMedia(path)).hasVideo).toBe(false);
  });
});
