import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { makeTempDir } from "../../../../test/support/temp-dir.ts";
import { AUDIO_FORMATS } from "../../../engine/media/audio-format.ts";
import { encodeSignal } from "../../../engine/media/support/encode-and-decode.ts";
import { makeSound } from "../../../engine/media/support/make-sound.ts";
import { makeVideo } from "../../../engine/media/support/make-video.ts";
import { makeNoise } from "../../../engine/media/support/signals.ts";
import { FORMAT_HEAD_BYTES } from "./content-format.ts";
import { findDeclaredFormat, findFormatOfContent } from "./find-format.ts";

let folder: string;
beforeAll(async () => {
  folder = await makeTempDir("formats");
  await encodeSignal(makeNoise({ sampleRateHz: 44_100, channels: 2, lengthFrames: 22_050 }), {
    files: AUDIO_FORMATS.map((format) => ({ format, path: join(folder, `a.${format}`) })),
    tags: { comment: "made for a test" },
  });
});

const findIn = (content: Buffer, hints: Parameters<typeof findDeclaredFormat>[0] = { names: ["blob"] }) =>
  findFormatOfContent(hints, content.subarray(0, FORMAT_HEAD_BYTES), {
    isWhole: content.length <= FORMAT_HEAD_BYTES,
  });
const read = (name: string) => readFile(join(folder, name));

describe("the format of an upload", () => {
  it.each(AUDIO_FORMATS)("[A5] of a real %s is found in its content", async (format) => {
    expect(findIn(await read(`a.${format}`))).toBe(format);
  });

  it("[A5] of a stream without tags is recognised by its content", async () => {
    const mp3 = await read("a.mp3");
    const firstFrame = mp3.findIndex(
      (byte, at) => at > 9 && byte === 0xff && ((mp3[at + 1] ?? 0) & 0xe0) === 0xe0,
    );
    expect(mp3.toString("latin1", 0, 3)).toBe("ID3");
    expect(findIn(mp3.subarray(firstFrame))).toBe("mp3");
    const aac = await read("a.aac");
    expect(aac.toString("latin1", 0, 3)).toBe("ID3");
    expect(findIn(aac.subarray(aac.indexOf(Buffer.from([0xff, 0xf1]))))).toBe("aac");
  });

  it.each([
    { muxer: "mp4", encoder: "libx264", format: "mp4" },
    { muxer: "mov", encoder: "libx264", format: "mov" },
    { muxer: "webm", encoder: "libvpx", format: "webm" },
    { muxer: "matroska", encoder: "libx264", format: "mkv" },
  ])("[A5] of a real $muxer video is found in its content", async ({ muxer, encoder, format }) => {
    makeVideo(join(folder, muxer), 5, { muxer, encoder });
    expect(findIn(await read(muxer))).toBe(format);
  });

  it.each([
    { format: "wma", muxer: "asf", encoder: "wmav2" },
    { format: "ac3", muxer: "ac3", encoder: "ac3" },
    { format: "eac3", muxer: "eac3", encoder: "eac3" },
    { format: "caf", muxer: "caf", encoder: "alac", samples: "s16p" },
    { format: "avi", muxer: "avi", encoder: "libmp3lame" },
    { format: "ts", muxer: "mpegts", encoder: "aac" },
    { format: "mpg", muxer: "vob", encoder: "mp2", samples: "s16" },
    { format: "flv", muxer: "flv", encoder: "libmp3lame" },
    { format: "au", muxer: "au", encoder: "pcm_s16be", samples: "s16" },
    { format: "w64", muxer: "w64", encoder: "pcm_s16le", samples: "s16" },
    { format: "wv", muxer: "wv", encoder: "wavpack", samples: "s16p" },
    { format: "3gp", muxer: "3gp", encoder: "aac" },
  ] as const)("[A5] [A30] of a real $format is found in its content", async ({ format, ...coding }) => {
    makeSound(join(folder, `b.${format}`), coding, { sampleRateHz: 44_100, seconds: 1 });
    expect(findIn(await read(`b.${format}`))).toBe(format);
  });

  it("[A5] [A30] of a Blu-ray's transport stream, and of amr, is found in its content", () => {
    const packets = Buffer.alloc(192 * 20);
    for (let at = 4; at < packets.length; at += 192) packets[at] = 0x47;
    expect(findIn(packets)).toBe("m2ts");
    expect(findIn(Buffer.from("#!AMR-WB\n\x04"))).toBe("amr");
  });

  it.each([
    ["text", "Grüße\n".repeat(2000), "txt"],
    ["json", ' {"text": "Hello"}', "json"],
    ["a list", "[\n  {", "json"],
    ["lyrics", "[Chorus]\nla la", "txt"],
    ["UTF-16", Buffer.from("\ufeffwords", "utf16le"), "txt"],
    ["Latin-1", Buffer.from("Grüße", "latin1"), undefined],
    ["zeros", Buffer.alloc(100), undefined],
    ["a picture", Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), undefined],
  ])("[A5] of %s is told from its bytes", (_, content, format) => {
    expect(findIn(Buffer.from(content as string))).toBe(format);
  });

  it.each([
    [{ names: ["Song.WAV"], contentType: "audio/mpeg" }, "wav"],
    [{ names: ["/x/song.flac", "label.mp3"] }, "flac"],
    [{ names: ["/download", "label.mp3"] }, "mp3"],
    [{ names: ["memo.mp4a"] }, "m4a"],
    [{ names: ["film.VOB"] }, "mpg"],
    [{ names: ["blob"], contentType: "audio/x-ms-wma" }, "wma"],
    [{ names: ["voice memo"], contentType: "audio/x-m4a; codecs=mp4a" }, "m4a"],
    [{ names: ["blob"], contentType: "audio/webm;codecs=opus" }, "weba"],
    [{ names: ["song.exe"], contentType: "application/octet-stream" }, undefined],
    [{ names: ["blob"], contentType: "text/plain" }, undefined],
  ])("[A5] %j tells %s", (hints, format) => {
    expect(findDeclaredFormat(hints)).toBe(format);
  });

  it("[A5] text declared as something else is not a transcript", () => {
    const page = Buffer.from("<html><body>Sign in</body></html>");
    expect(findIn(page, { names: ["share"], contentType: "text/html; charset=utf-8" })).toBeUndefined();
    expect(findIn(page, { names: ["page.html"], contentType: "text/plain" })).toBeUndefined();
    expect(findIn(Buffer.from("words"), { names: ["Dr. Smith, take 1.2"], contentType: "text/plain" })).toBe(
      "txt",
    );
  });
});
