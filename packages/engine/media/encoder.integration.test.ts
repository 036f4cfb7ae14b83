import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { AUDIO_FORMATS } from "./audio-format.ts";
import { openEncoder } from "./open-encoder.ts";
import { probeMedia } from "./probe-media.ts";
import { encodeSignal } from "./support/encode-and-decode.ts";
import { readComment } from "./support/read-comment.ts";
import { makeNoise } from "./support/signals.ts";
import { makeTemporaryFolder } from "./support/temporary-folder.ts";

const inFolder = makeTemporaryFolder();
const stereo = { sampleRateHz: 44100, channels: 2, channelLayout: "stereo" };

describe("openEncoder", () => {
  it("writes the same bytes for the same audio, however it is cut into blocks", async () => {
    const signal = makeNoise({ sampleRateHz: 44100, channels: 2, lengthFrames: 30_000 });
    const run = async (name: string, blockSamples: number) => {
      const files = AUDIO_FORMATS.map((format) => ({ path: inFolder(`${name}.${format}`), format }));
      await encodeSignal(signal, { files, blockSamples, tags: { title: "Same" } });
      const contents = await Promise.all(files.map(({ path }) => readFile(path)));
      return contents.map((bytes) => createHash("sha256").update(bytes).digest("hex"));
    };
    const [one, two] = await Promise.all([run("one", 60_000), run("two", 1234)]);
    expect(two).toEqual(one);
  });

  it("writes tags into every format", async () => {
    const comment = "Été; é=1";
    const files = AUDIO_FORMATS.map((format) => ({ path: inFolder(`tagged.${format}`), format }));
    await encodeSignal(makeNoise({ ...stereo, lengthFrames: 5000 }), { files, tags: { comment } });
    const comments = files.map(({ path, format }) => [format, readComment(path)]);
    expect(comments).toEqual(AUDIO_FORMATS.map((format) => [format, comment]));
  });

  it("[O20] title, artist and similar tags are read from every format that holds them, and nothing else", async () => {
    const tags = { title: "Été", artist: "Somebody", comment: "made-by=Stemwright", encoder: "x" };
    const files = AUDIO_FORMATS.map((format) => ({ path: inFolder(`titles.${format}`), format }));
    await encodeSignal(makeNoise({ ...stereo, lengthFrames: 5000 }), { files, tags });
    for (const { path, format } of files)
      expect([format, (await probeMedia(path)).tags]).toEqual([
        format,
        format === "aiff" ? { title: "Été" } : { title: "Été", artist: "Somebody" },
      ]);
  });

  it("removes its files when it is aborted", async () => {
    const path = inFolder("aborted.wav");
    const encoder = await openEncoder({ ...stereo, files: [{ path, format: "wav" }] });
    await encoder.write(new Float32Array(1000));
    await encoder.abort();
    expect(existsSync(path)).toBe(false);
  });

  it("explains what is wrong with an output folder or a layout", async () => {
    const missing = openEncoder({ ...stereo, files: [{ path: inFolder("no/such/x.wav"), format: "wav" }] });
    await expect(missing).rejects.toMatchObject({ kind: "encode-failed" });
    const path = inFolder("mono.wav");
    const wrong = openEncoder({ ...stereo, channelLayout: "mono", files: [{ path, format: "wav" }] });
    await expect(wrong).rejects.toThrow("mono is no layout of 2 channels.");
    expect(existsSync(path)).toBe(false);
  });
});
