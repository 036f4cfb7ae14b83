import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, symlink, writeFile } from "node:fs/promises";
import { AV_PKT_DATA_DISPLAYMATRIX, AVMEDIA_TYPE_VIDEO } from "node-av/constants";
import { FFmpegError, FormatContext } from "node-av/lib";
import { describe, expect, it } from "vitest";
import { probeMedia } from "./probe-media.ts";
import { decodeSignal, encodeSignal } from "./support/encode-and-decode.ts";
import { makeVideo } from "./support/make-video.ts";
import { readPackets } from "./support/read-packets.ts";
import { remux } from "./support/remux.ts";
import { findClickOffsetFrames, makeClickTrack, makeNoise } from "./support/signals.ts";
import { makeTemporaryFolder } from "./support/temporary-folder.ts";

// Otherwise the AV1 encoder prints a long banner.
process.env.SVT_LOG = "0";

const inFolder = makeTemporaryFolder();
const stereo = { sampleRateHz: 44100, channels: 2, channelLayout: "stereo" };
const sound = makeNoise({ ...stereo, lengthFrames: 44_100 });

/** The streams of a trusted file. */
function openStreams(path: string) {
  const format = new FormatContext();
  FFmpegError.throwIfError(format.openInputSync(`file:${path}`));
  FFmpegError.throwIfError(format.findStreamInfoSync(null));
  return format.streams;
}
const hashOf = (packets: readonly string[]) =>
  packets.map((packet) => createHash("sha256").update(packet).digest("hex"));

/** The start code of the next unit may have a third zero. */
const withoutZeros = (unit: string): string => (unit.endsWith("\0") ? withoutZeros(unit.slice(0, -1)) : unit);

/** A packet of a transport stream as an mp4 holds it: the same units, each after its length instead of after a start code. */
function toLengths(bytes: string): string {
  const units = Buffer.from(bytes, "hex").toString("latin1").split("\0\0\x01").slice(1).map(withoutZeros);
  return units
    .map((unit) => unit.length.toString(16).padStart(8, "0") + Buffer.from(unit, "latin1").toString("hex"))
    .join("");
}

const copyPicture = async (name: string) => {
  const path = inFolder(`copy-of-${name}.mp4`);
  await encodeSignal(sound, { files: [{ path, format: "mp4" }], pictureFrom: inFolder(name) });
  return path;
};

describe("pictureFrom", () => {
  it("[O10] copies the video bit for bit and in sync with the audio", async () => {
    makeVideo(inFolder("silent.mp4"), 50);
    const signal = makeClickTrack({ ...stereo, durationSeconds: 2, clickSeconds: [1] });
    const path = inFolder("with-sound.mp4");
    await encodeSignal(signal, { files: [{ path, format: "mp4" }], pictureFrom: inFolder("silent.mp4") });
    const again = [1, 2].map((n) => ({ path: inFolder(`again-${n}.mp4`), format: "mp4" as const }));
    await encodeSignal(signal, { files: again, pictureFrom: path });

    const original = readPackets(inFolder("silent.mp4"), "video");
    expect(original).toHaveLength(50);
    expect(original.some(({ ptsSeconds, dtsSeconds }) => ptsSeconds > dtsSeconds)).toBe(true);
    for (const copy of [path, ...again.map((file) => file.path)]) {
      expect(readPackets(copy, "video")).toEqual(original);
      expect((await probeMedia(copy)).hasVideo).toBe(true);
    }
    expect((await decodeSignal(path)).lengthFrames).toBe(88_200);
  });

  it("[O10] keeps the audio's offset from the video", async () => {
    makeVideo(inFolder("prompt.mp4"), 50);
    const signal = makeClickTrack({ ...stereo, durationSeconds: 1.5, clickSeconds: [1] });
    const promptPath = inFolder("prompt-sound.mp4");
    await encodeSignal(signal, {
      files: [{ path: promptPath, format: "mp4" }],
      pictureFrom: inFolder("prompt.mp4"),
    });
    remux(promptPath, inFolder("late.mkv"), { delaySeconds: 0.5 });
    const path = inFolder("late.mp4");
    const { channelLayout: _, ...late } = await decodeSignal(inFolder("late.mkv"));
    await encodeSignal(late, { files: [{ path, format: "mp4" }], pictureFrom: inFolder("late.mkv") });
    const [firstPicture] = readPackets(path, "video");
    const [firstSound] = readPackets(path, "audio");
    expect(firstPicture?.ptsSeconds).toBeCloseTo(0, 2);
    // Packets start one encoder delay before their audio.
    expect(firstSound?.ptsSeconds).toBeCloseTo(0.5 - 1024 / 44100, 2);
    const bytes = (file: string) => readPackets(file, "video").map((packet) => packet.bytes);
    expect(bytes(path)).toEqual(bytes(inFolder("prompt.mp4")));
  });

  it.each([
    ["mkv", "matroska"],
    ["mp4", "mp4"],
    ["mov", "mov"],
    ["ts", "mpegts"],
    ["flv", "flv"],
  ])("[O31] tells how much later than the picture the audio of an %s starts", async (ending, muxer) => {
    makeVideo(inFolder("picture-alone.mp4"), 50);
    const signal = makeClickTrack({ ...stereo, durationSeconds: 1.5, clickSeconds: [1] });
    const files = [{ path: inFolder("together.mp4"), format: "mp4" as const }];
    await encodeSignal(signal, { files, pictureFrom: inFolder("picture-alone.mp4") });
    for (const delaySeconds of [0.5, 4]) {
      const path = inFolder(`starts-late.${ending}`);
      remux(inFolder("together.mp4"), path, { muxer, delaySeconds });
      const { audioStartSeconds = 0 } = await decodeSignal(path);
      // Containers without a place for the encoder's delay have it as sound.
      expect(Math.abs(audioStartSeconds - delaySeconds)).toBeLessThan(0.03);
    }
  });

  it("[O31] takes a start of more than ten minutes for a wrong time stamp, and tells none without a picture", async () => {
    makeVideo(inFolder("picture-alone.mp4"), 5);
    const files = [{ path: inFolder("together.mp4"), format: "mp4" as const }];
    await encodeSignal(sound, { files, pictureFrom: inFolder("picture-alone.mp4") });
    remux(inFolder("together.mp4"), inFolder("wrong.mkv"), { delaySeconds: 601 });
    expect((await decodeSignal(inFolder("wrong.mkv"))).audioStartSeconds).toBeUndefined();
    await encodeSignal(sound, { files: [{ path: inFolder("alone.m4a"), format: "m4a" }] });
    expect((await decodeSignal(inFolder("alone.m4a"))).audioStartSeconds).toBeUndefined();
  });

  it("[O10] audio with a damaged start keeps its position, with silence for the lost part", async () => {
    makeVideo(inFolder("whole.mp4"), 50);
    const signal = makeClickTrack({ ...stereo, durationSeconds: 2, clickSeconds: [1.5] });
    const damagedPath = inFolder("damaged.mp4");
    await encodeSignal(signal, {
      files: [{ path: damagedPath, format: "mp4" }],
      pictureFrom: inFolder("whole.mp4"),
    });
    const bytes = await readFile(damagedPath);
    for (const packet of readPackets(damagedPath, "audio").slice(0, 30)) {
      const size = packet.bytes.length / 2;
      const at = bytes.indexOf(Buffer.from(packet.bytes, "hex"));
      bytes.fill(0x55, at, at + size);
    }
    await writeFile(damagedPath, bytes);
    const { channelLayout: _, ...decoded } = await decodeSignal(damagedPath);
    expect(Math.abs(findClickOffsetFrames(decoded, 1.5))).toBeLessThanOrEqual(1);
    const path = inFolder("mended.mp4");
    await encodeSignal(decoded, { files: [{ path, format: "mp4" }], pictureFrom: damagedPath });
    const [firstSound] = readPackets(path, "audio");
    expect(firstSound?.ptsSeconds).toBeCloseTo(-1024 / 44100, 2);
  });

  it("[O10] does not affect outputs without video", async () => {
    makeVideo(inFolder("picture.mp4"), 5);
    const path = inFolder("sound.m4a");
    const signal = makeNoise({ ...stereo, lengthFrames: 5000 });
    await encodeSignal(signal, { files: [{ path, format: "m4a" }], pictureFrom: inFolder("picture.mp4") });
    expect((await probeMedia(path)).hasVideo).toBe(false);
  });

  it.each([
    ["libx264", "mp4"],
    ["libx264", "mov"],
    ["libx264", "matroska"],
    ["libx265", "mp4"],
    ["libx265", "matroska"],
    ["libvpx-vp9", "mp4"],
    ["libvpx-vp9", "webm"],
    ["libvpx-vp9", "matroska"],
    ["libsvtav1", "mp4"],
    ["libsvtav1", "matroska"],
    ["mpeg4", "mp4"],
    ["mpeg4", "mov"],
    ["mpeg4", "matroska"],
    ["mpeg2video", "mov"],
    ["mpeg2video", "matroska"],
    ["libx264", "mpegts"],
    ["libx265", "mpegts"],
    ["mpeg2video", "mpegts"],
    ["libx264", "flv"],
  ])("[O10] copies what %s made into %s, picture first", async (encoder, muxer) => {
    const name = `${encoder}.${muxer}`;
    makeVideo(inFolder(name), 25, { encoder, muxer });
    const copy = await copyPicture(name);
    const original = readPackets(inFolder(name), "video");
    const copied = readPackets(copy, "video");
    expect(original.length).toBeGreaterThanOrEqual(25);
    const isStream = muxer === "mpegts" && encoder !== "mpeg2video";
    const expected = original.map(({ bytes }) => (isStream ? toLengths(bytes) : bytes));
    expect(hashOf(copied.map(({ bytes }) => bytes))).toEqual(hashOf(expected));
    const startSeconds = Math.min(...original.map(({ ptsSeconds }) => ptsSeconds));
    for (const [index, { ptsSeconds }] of copied.entries())
      expect(ptsSeconds).toBeCloseTo((original[index]?.ptsSeconds ?? 0) - startSeconds, 3);
    const [first] = openStreams(copy);
    expect([first?.codecpar.codecType, first?.codecpar.width, first?.codecpar.height]).toEqual([
      AVMEDIA_TYPE_VIDEO,
      64,
      48,
    ]);
    expect((await decodeSignal(copy)).lengthFrames).toBe(44_100);
  });

  it("[O10] says what to do about a codec that mp4 can't hold, and leaves no file", async () => {
    makeVideo(inFolder("vp8.webm"), 5, { encoder: "libvpx", muxer: "webm" });
    const files = (["wav", "mp4"] as const).map((format) => ({
      path: inFolder(`vp8-out.${format}`),
      format,
    }));
    const encoding = encodeSignal(sound, { files, pictureFrom: inFolder("vp8.webm") });
    await expect(encoding).rejects.toMatchObject({
      kind: "encode-failed",
      message: expect.stringMatching(/coded as vp8, which an mp4 cannot hold\. Ask for m4a/),
    });
    expect(files.map(({ path }) => existsSync(path))).toEqual([false, false]);
  });

  it("[O10] keeps the times of video with a variable frame rate", async () => {
    const toTime = (index: number) => index + Math.floor(index / 5) * 3;
    makeVideo(inFolder("odd.mkv"), 25, { muxer: "matroska", toTime });
    const times = (path: string) => readPackets(path, "video").map(({ ptsSeconds }) => ptsSeconds);
    const copied = times(await copyPicture("odd.mkv"));
    const original = times(inFolder("odd.mkv"));
    expect(
      new Set(original.map((time, index) => Math.round(25 * (time - (original[index - 1] ?? 0))))).size,
    ).toBeGreaterThan(2);
    for (const [index, time] of copied.entries()) expect(time).toBeCloseTo(original[index] ?? 0, 3);
  });

  it("[O10] keeps frames hidden that a cut video holds only for decoding", async () => {
    makeVideo(inFolder("cut.mp4"), 25, { toTime: (index) => index - 10 });
    const copied = readPackets(await copyPicture("cut.mp4"), "video");
    const original = readPackets(inFolder("cut.mp4"), "video");
    expect(Math.min(...original.map(({ ptsSeconds }) => ptsSeconds))).toBeCloseTo(-0.4, 3);
    expect(copied).toEqual(original);
  });

  it("[O10] keeps the rotation", async () => {
    const displayMatrix = Buffer.alloc(36);
    // Rotation by 90 degrees: 0 1 0 / -1 0 0 / 0 0 1, in FFmpeg's fixed point.
    displayMatrix.writeInt32LE(1 << 16, 4);
    displayMatrix.writeInt32LE(-(1 << 16), 12);
    displayMatrix.writeInt32LE(1 << 30, 32);
    makeVideo(inFolder("turned.mp4"), 5, { displayMatrix });
    const matrixOf = (path: string) =>
      openStreams(path)[0]?.codecpar.getCodedSideData(AV_PKT_DATA_DISPLAYMATRIX);
    expect(matrixOf(inFolder("turned.mp4"))?.readInt32LE(4)).toBe(1 << 16);
    expect(matrixOf(await copyPicture("turned.mp4"))).toEqual(matrixOf(inFolder("turned.mp4")));
  });

  it("[O11] reports a full disk as such, and leaves no file", async () => {
    makeVideo(inFolder("plenty.mp4"), 25);
    const path = inFolder("full.mp4");
    await symlink("/dev/full", path);
    const encoding = encodeSignal(sound, {
      files: [
        { path, format: "mp4" },
        { path: inFolder("beside-full.wav"), format: "wav" },
      ],
      pictureFrom: inFolder("plenty.mp4"),
    });
    await expect(encoding).rejects.toMatchObject({ kind: "disk-full" });
    expect([path, inFolder("beside-full.wav")].map((file) => existsSync(file))).toEqual([false, false]);
  });
});
