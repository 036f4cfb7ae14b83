import { existsSync } from "node:fs";
import { copyFile, mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { makeFlacBomb } from "../../../test/support/flac-bomb.ts";
import { writeSound } from "../support/sound-file.ts";
import { decodeToPcm } from "./decode-to-pcm.ts";
import { probeMedia } from "./probe-media.ts";
import { decodeSignal, encodeSignal } from "./support/encode-and-decode.ts";
import { makeVideo } from "./support/make-video.ts";
import { findClickOffsetFrames, makeClickTrack, makeNoise } from "./support/signals.ts";
import { makeTemporaryFolder } from "./support/temporary-folder.ts";

const inFolder = makeTemporaryFolder();
const clickSeconds = [0.5, 1.5, 3.5];
const clicks = makeClickTrack({ sampleRateHz: 48000, channels: 2, durationSeconds: 4, clickSeconds });

beforeAll(async () => {
  const formats = ["wav", "flac", "mp3", "m4a", "opus"] as const;
  await encodeSignal(clicks, {
    files: formats.map((format) => ({ path: inFolder(`good.${format}`), format })),
  });
});

describe("implausible headers and samples", () => {
  const SAMPLE_RATE_AT = 24;

  it("an impossible sample rate is refused before any work", async () => {
    const path = inFolder("rate.wav");
    writeSound(path, [new Float32Array(3000)], 44_100);
    const bytes = await readFile(path);
    bytes.writeUInt32LE(2_000_000_000, SAMPLE_RATE_AT);
    await writeFile(path, bytes);
    const message = expect.stringMatching(/sample rate of 2000000000 Hz; the highest supported is 768000 Hz/);
    await expect(probeMedia(path)).rejects.toMatchObject({ kind: "unreadable", message });
  });

  it("[O30] non-finite and absurdly large samples become silence, and the others are unchanged", async () => {
    const samples = Float32Array.from({ length: 3000 }, (_, at) => Math.sin(at / 9) / 2);
    // The scale of 32-bit integers, which some programs write as floats.
    samples.set([2 ** 31, -(2 ** 31)], 900);
    const broken = samples.slice();
    broken.set([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 3e38, -3e38, 2 ** 33], 1000);
    writeSound(inFolder("nan.wav"), [broken], 44_100);
    samples.fill(0, 1000, 1006);
    expect((await decodeSignal(inFolder("nan.wav"))).samples).toEqual(samples);
  });
});

describe("files that are not media are unreadable", () => {
  const random = Buffer.from(
    makeNoise({ sampleRateHz: 1, channels: 1, lengthFrames: 50_000 }).samples.buffer,
  );
  const rows: { name: string; content: () => string | Buffer }[] = [
    { name: "text.mp3", content: () => "Dear reader, this is no sound at all.\n".repeat(200) },
    { name: "empty.wav", content: () => "" },
    { name: "random.flac", content: () => random },
    { name: "header-only.wav", content: () => "RIFF\x24\0\0\0WAVE" },
    {
      name: "list.m3u8",
      content: () => `#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n${inFolder("good.wav")}\n`,
    },
    { name: "list.wav", content: () => `ffconcat version 1.0\nfile '${inFolder("good.wav")}'\n` },
    {
      name: "session.sdp",
      content: () =>
        "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=audio 5004 RTP/AVP 0\n",
    },
    { name: "meta.mp3", content: () => ";FFMETADATA1\ntitle=x\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\n" },
    {
      name: "list.mpd",
      content: () => `<?xml version="1.0"?><MPD><BaseURL>file://${inFolder("good.wav")}</BaseURL></MPD>`,
    },
  ];
  it.each(rows)("$name", async ({ name, content }) => {
    await writeFile(inFolder(name), content(), "latin1");
    await expect(probeMedia(inFolder(name))).rejects.toMatchObject({
      name: "MediaError",
      kind: "unreadable",
    });
  });

  it("a path that does not exist, and a folder", async () => {
    await mkdir(inFolder("folder.wav"));
    await expect(probeMedia(inFolder("none.wav"))).rejects.toThrow(/There is no file/);
    await expect(probeMedia(inFolder("folder.wav"))).rejects.toMatchObject({ kind: "unreadable" });
  });
});

describe("media without sound", () => {
  it("a silent video is no-audio", async () => {
    makeVideo(inFolder("silent.mp4"), 10);
    await expect(probeMedia(inFolder("silent.mp4"))).rejects.toMatchObject({ kind: "no-audio" });
  });

  it("a wav without frames is no-audio, and leaves no PCM behind", async () => {
    const path = inFolder("nothing.wav");
    await encodeSignal({ ...clicks, samples: new Float32Array(0) }, { files: [{ path, format: "wav" }] });
    const pcmPath = inFolder("nothing.pcm");
    await expect(decodeToPcm({ inputPath: path, pcmPath })).rejects.toMatchObject({ kind: "no-audio" });
    expect(existsSync(pcmPath)).toBe(false);
  });
});

describe("damaged files are decoded as far as possible", () => {
  it.each(["wav", "flac", "mp3"])("a %s cut off in the middle", async (format) => {
    const bytes = await readFile(inFolder(`good.${format}`));
    const path = inFolder(`cut.${format}`);
    await writeFile(path, bytes.subarray(0, bytes.length / 2));
    const { lengthFrames, samples, ...media } = await decodeSignal(path);
    expect(lengthFrames / media.sampleRateHz).toBeGreaterThan(1.6);
    expect(lengthFrames / media.sampleRateHz).toBeLessThan(2.4);
    expect(findClickOffsetFrames({ ...media, samples }, 0.5)).toBe(0);
  });

  it.each(["flac", "mp3", "m4a", "opus"])("a %s damaged in the middle keeps its timeline", async (format) => {
    const bytes = await readFile(inFolder(`good.${format}`));
    const path = inFolder(`damaged.${format}`);
    bytes.fill(0x55, Math.floor(bytes.length * 0.5), Math.floor(bytes.length * 0.53));
    await writeFile(path, bytes);
    const back = await decodeSignal(path);
    for (const seconds of clickSeconds)
      expect(Math.abs(findClickOffsetFrames(back, seconds))).toBeLessThanOrEqual(1);
  });
});

describe("lengths claimed by a header", () => {
  it("are ignored: a flac that claims weeks is as long as its samples", async () => {
    const bytes = await readFile(inFolder("good.flac"));
    // The last 36 bits of these eight bytes of STREAMINFO are the number of frames.
    const at = 4 + 4 + 10;
    bytes.writeBigUInt64BE(bytes.readBigUInt64BE(at) | 0xf_ffff_fffen, at);
    await writeFile(inFolder("weeks.flac"), bytes);
    const back = await decodeSignal(inFolder("weeks.flac"));
    expect(back.durationSeconds).toBeGreaterThan(1e6);
    expect(back.lengthFrames).toBe(clicks.samples.length / 2);
  });

  it("a limit applies to what is decoded", async () => {
    const limited = (maxDurationSeconds: number) =>
      decodeToPcm({ inputPath: inFolder("good.mp3"), pcmPath: inFolder("limited.pcm"), maxDurationSeconds });
    await expect(limited(3.99)).rejects.toMatchObject({ kind: "too-long" });
    expect(existsSync(inFolder("limited.pcm"))).toBe(false);
    await expect(limited(4)).resolves.toMatchObject({ lengthFrames: 192_000 });
  });
});

describe("a file that is much larger when decoded", () => {
  const bomb = { sampleRateHz: 48_000, channels: 2, lengthFrames: 3_000_000 };
  const sizeBytes = bomb.lengthFrames * 8;
  const decodeBomb = async (isLengthHidden: boolean, maxBytes: number) => {
    await writeFile(inFolder("bomb.flac"), makeFlacBomb({ ...bomb, isLengthHidden }));
    let started = 0;
    const decoding = decodeToPcm({
      inputPath: inFolder("bomb.flac"),
      pcmPath: inFolder("bomb.pcm"),
      maxBytes,
      onProgress: () => {
        started += 1;
      },
    });
    return await decoding.then(
      ({ lengthFrames }) => ({ lengthFrames, started }),
      ({ kind }: { kind: string }) => ({ kind, started }),
    );
  };

  it("[T20] is refused by its header, before any of it is decoded", async () => {
    expect(await decodeBomb(false, sizeBytes - 1)).toEqual({ kind: "too-large", started: 0 });
    expect(existsSync(inFolder("bomb.pcm"))).toBe(false);
  });

  it("[T20] is refused when it passes the limit if the header does not say, and leaves nothing behind", async () => {
    expect(await decodeBomb(true, sizeBytes - 1)).toMatchObject({ kind: "too-large" });
    expect(existsSync(inFolder("bomb.pcm"))).toBe(false);
    expect(await decodeBomb(true, sizeBytes)).toMatchObject({ lengthFrames: bomb.lengthFrames });
    expect(await decodeBomb(false, sizeBytes)).toMatchObject({ lengthFrames: bomb.lengthFrames });
  });
});

describe("a full disk", () => {
  it("is reported as disk-full while decoding and encoding", async () => {
    await symlink("/dev/full", inFolder("full.pcm"));
    await symlink("/dev/full", inFolder("full.flac"));
    const decoding = decodeToPcm({ inputPath: inFolder("good.wav"), pcmPath: inFolder("full.pcm") });
    await expect(decoding).rejects.toMatchObject({ kind: "disk-full" });
    const encoding = encodeSignal(clicks, { files: [{ path: inFolder("full.flac"), format: "flac" }] });
    await expect(encoding).rejects.toMatchObject({ kind: "disk-full" });
    expect(existsSync(inFolder("full.flac"))).toBe(false);
  });
});

describe("the name of a file", () => {
  it("does not determine its type", async () => {
    await copyFile(inFolder("good.m4a"), inFolder("odd name: 100%.wav"));
    const info = await probeMedia(inFolder("odd name: 100%.wav"));
    expect(info).toMatchObject({
      codec: "aac",
      sampleRateHz: 48000,
      channels: 2,
      channelLayout: "stereo",
      hasVideo: false,
    });
    expect(info.durationSeconds).toBeCloseTo(4, 2);
  });
});
