import { readFileSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { FFmpegError, FormatContext } from "node-av/lib";
import { beforeAll, describe, expect, it } from "vitest";
import { checkTags } from "./child/tags/check-tags.ts";
import { MAX_TAG_BYTES, MAX_TAGS } from "./child/tags/tag-count.ts";
import { mediaInfoSchema } from "./media-info.ts";
import { probeMedia } from "./probe-media.ts";
import { FIRST_FILE_FD, startMediaChild } from "./start-media-child.ts";
import { encodeSignal } from "./support/encode-and-decode.ts";
import { makeSound } from "./support/make-sound.ts";
import { remux } from "./support/remux.ts";
import { makeClickTrack } from "./support/signals.ts";
import { makeTemporaryFolder } from "./support/temporary-folder.ts";

const inFolder = makeTemporaryFolder();

beforeAll(async () => {
  const clicks = makeClickTrack({
    sampleRateHz: 48_000,
    channels: 1,
    durationSeconds: 1,
    clickSeconds: [0.5],
  });
  const formats = ["wav", "flac", "mp3", "m4a", "opus", "aiff"] as const;
  const sound = { sampleRateHz: 44_100, seconds: 1 };
  makeSound(inFolder("good.wma"), { muxer: "asf", encoder: "wmav2" }, sound);
  makeSound(inFolder("good.avi"), { muxer: "avi", encoder: "mp2", samples: "s16" }, sound);
  makeSound(inFolder("good.wv"), { muxer: "wv", encoder: "wavpack" }, sound);
  await encodeSignal(clicks, {
    files: formats.map((format) => ({ path: inFolder(`good.${format}`), format })),
  });
});

const makeTags = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`tag${String(n).padStart(6, "0")}`, "x"]));

/** A chunk of four letters, size and content, little-endian or not. */
function makeChunk(id: string, content: Buffer, isLittleEndian: boolean): Buffer {
  const size = Buffer.alloc(4);
  if (isLittleEndian) size.writeUInt32LE(content.length);
  else size.writeUInt32BE(content.length);
  return Buffer.concat([Buffer.from(id, "latin1"), size, content]);
}

function makeList(count: number): Buffer {
  const tags = Array.from({ length: count }, (_, n) => makeChunk(toName("I", n), Buffer.from("x\0"), true));
  return makeChunk("LIST", Buffer.concat([Buffer.from("INFO"), ...tags]), true);
}

/** An ID3 tag of version 2.3 with frames of the names T000, T001 … */
function makeId3(frames: readonly Buffer[]): Buffer {
  const content = Buffer.concat(frames);
  const size = [21, 14, 7, 0].map((bits) => (content.length >> bits) & 0x7f);
  return Buffer.concat([Buffer.from("ID3\x03\0\0", "latin1"), Buffer.from(size), content]);
}

const makeFrame = (id: string, content: Buffer) =>
  Buffer.concat([makeChunk(id, content, false).subarray(0, 8), Buffer.alloc(2), content]);
const toName = (letter: string, n: number) => letter + n.toString(36).toUpperCase().padStart(3, "0");
const makeFrames = (count: number) =>
  Array.from({ length: count }, (_, n) => makeFrame(toName("T", n), Buffer.from("\0x")));

/** Some containers' tags have names of four letters, which FFmpeg doesn't write. */
const HAND_MADE: Record<string, (count: number) => Buffer> = {
  "list.wav": (count) => Buffer.concat([readFileSync(inFolder("good.wav")), makeList(count)]),
  "list.avi": (count) => {
    const avi = readFileSync(inFolder("good.avi"));
    const headerBytes = 12;
    return Buffer.concat([avi.subarray(0, headerBytes), makeList(count), avi.subarray(headerBytes)]);
  },
  "id3.wav": (count) =>
    Buffer.concat([readFileSync(inFolder("good.wav")), makeChunk("id3 ", makeId3(makeFrames(count)), true)]),
  "two-tags.mp3": (count) => {
    const frames = makeFrames(count);
    const tags = [frames.slice(0, count / 2), frames.slice(count / 2)].map(makeId3);
    return Buffer.concat([...tags, readFileSync(inFolder("good.mp3"))]);
  },
  "tagged.flac": (count) => Buffer.concat([makeId3(makeFrames(count)), readFileSync(inFolder("good.flac"))]),
};

const MUXED: Record<string, { from: string; muxer: string; muxerOptions?: Record<string, string> }> = {
  "muxed.mp3": { from: "good.mp3", muxer: "mp3" },
  "muxed.flac": { from: "good.flac", muxer: "flac" },
  "muxed.ogg": { from: "good.flac", muxer: "ogg" },
  "muxed.opus": { from: "good.opus", muxer: "opus" },
  "muxed.aiff": { from: "good.aiff", muxer: "aiff", muxerOptions: { write_id3v2: "1" } },
  "muxed.mov": { from: "good.m4a", muxer: "mov", muxerOptions: { movflags: "use_metadata_tags" } },
  "muxed.mkv": { from: "good.m4a", muxer: "matroska" },
  "muxed.wma": { from: "good.wma", muxer: "asf" },
  "muxed.flv": { from: "good.mp3", muxer: "flv" },
  "muxed.wv": { from: "good.wv", muxer: "wv" },
  "muxed.caf": { from: "good.wav", muxer: "caf" },
};

function writeTagged(name: string, count: number): string {
  const path = inFolder(`${count}-${name}`);
  const muxed = MUXED[name];
  if (muxed) remux(inFolder(muxed.from), path, { ...muxed, tags: makeTags(count) });
  else writeFileSync(path, HAND_MADE[name]?.(count) ?? "");
  return path;
}

/** How many FFmpeg itself finds; trusted files only, as this runs outside the sandbox. */
function countFound(path: string): number {
  const format = new FormatContext();
  FFmpegError.throwIfError(format.openInputSync(`file:${path}`));
  FFmpegError.throwIfError(format.findStreamInfoSync(null));
  const found = [format.metadata, ...format.streams.map(({ metadata }) => metadata)];
  return found.reduce((sum, tags) => sum + Object.keys(tags?.getAll() ?? {}).length, 0);
}

async function check(path: string): Promise<void> {
  await using file = await open(path);
  checkTags(file.fd);
}

const MANY = { kind: "unreadable", message: expect.stringContaining(`more than ${MAX_TAGS} tags`) as string };
/** Those that programs write of themselves, such as the encoder's name. */
const OWN = 20;

describe("the tags of a file", () => {
  it.each([...Object.keys(MUXED), ...Object.keys(HAND_MADE)])(
    "[A31] of %s are counted as FFmpeg finds them, and too many are refused before it reads any",
    async (name) => {
      const few = writeTagged(name, MAX_TAGS - OWN);
      expect(countFound(few)).toBeGreaterThanOrEqual(MAX_TAGS - OWN);
      await expect(check(few)).resolves.toBeUndefined();
      await expect(check(writeTagged(name, MAX_TAGS + 1))).rejects.toMatchObject(MANY);
    },
  );

  it("[A31] inside chapters count as well", async () => {
    const times = Buffer.alloc(16);
    const inside = (count: number) =>
      makeFrame("CHAP", Buffer.concat([Buffer.from("one\0"), times, ...makeFrames(count)]));
    const write = (count: number) => {
      const path = inFolder(`${count}-chapter.mp3`);
      writeFileSync(path, Buffer.concat([makeId3([inside(count)]), readFileSync(inFolder("good.mp3"))]));
      return path;
    };
    await expect(check(write(MAX_TAGS - 1))).resolves.toBeUndefined();
    await expect(check(write(MAX_TAGS))).rejects.toMatchObject(MANY);
  });

  it("[A31] have a limit in bytes, without pictures", async () => {
    const half = Buffer.alloc(MAX_TAG_BYTES / 2 + 1, "x");
    const write = (...ids: string[]) => {
      const path = inFolder(`${ids.join("-")}.mp3`);
      const tag = makeId3(ids.map((id) => makeFrame(id, half)));
      writeFileSync(path, Buffer.concat([tag, readFileSync(inFolder("good.mp3"))]));
      return path;
    };
    await expect(check(write("TIT2", "APIC"))).resolves.toBeUndefined();
    const message = expect.stringContaining(`more than ${MAX_TAG_BYTES} bytes`) as string;
    await expect(check(write("TIT2", "TPE1"))).rejects.toMatchObject({ kind: "unreadable", message });
  });

  it("[A31] that are damaged don't fail a file", async () => {
    const good = readFileSync(inFolder("good.mp3"));
    const broken = [
      makeId3([makeFrame("TIT2", Buffer.from("\0x"))]).fill(0xff, 16, 20),
      makeId3([Buffer.alloc(100)]),
      Buffer.from("ID3\x04\0\x40\x7f\x7f\x7f\x7f", "latin1"),
    ];
    for (const [n, tag] of broken.entries()) {
      writeFileSync(inFolder(`broken-${n}.mp3`), Buffer.concat([tag, good]));
      await expect(check(inFolder(`broken-${n}.mp3`))).resolves.toBeUndefined();
    }
  });

  it("[A31] are refused in the sandbox", async () => {
    const frames = Array.from({ length: 40_000 }, (_, n) => makeFrame("TXXX", Buffer.from(`\0${n}\0x`)));
    writeFileSync(inFolder("bomb.mp3"), Buffer.concat([makeId3(frames), readFileSync(inFolder("good.mp3"))]));
    await expect(probeMedia(inFolder("bomb.mp3"))).rejects.toMatchObject(MANY);
  });
});

describe("the CPU time of a probe", () => {
  /** Millions of empty blocks of padding. */
  function makeSlow(): Buffer {
    const slow = Buffer.alloc(48_000_000);
    for (let at = 0; at < slow.length; at += 4) slow[at] = 1;
    const good = readFileSync(inFolder("good.flac"));
    // Behind the four letters and STREAMINFO.
    const startByte = 4 + 4 + 34;
    return Buffer.concat([good.subarray(0, startByte), slow, good.subarray(startByte)]);
  }

  it("[A31] ends with the limit, which says of the file that it is unreadable", async () => {
    writeFileSync(inFolder("slow.flac"), makeSlow());
    await using file = await open(inFolder("slow.flac"));
    const child = await startMediaChild({
      work: { kind: "probe", inputFd: FIRST_FILE_FD, cpuSeconds: 1 },
      resultSchema: mediaInfoSchema,
      files: [file],
      watchStall: true,
    });
    const message = expect.stringContaining("more than 1 seconds of CPU time") as string;
    await expect(child.result).rejects.toMatchObject({ kind: "unreadable", message });
  });
});
